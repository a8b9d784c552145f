// .npy and .safetensors against the programs that define them: NumPy writes, we read, and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "data/array/npy.h"
#include "data/array/open_array.h"
#include "data/array/safetensors.h"
#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

class Numpy : public testing::Test {
 protected:
  void SetUp() override {
    if (run("import numpy") != 0) GTEST_SKIP() << "no python3-numpy";
  }
  // Runs the script in the folder; 0 is success.
  int run(const std::string& script) {
    folder.write("script.py", script);
    const std::string command = "cd '" + folder.path() + "' && /usr/bin/python3 script.py";
    return std::system(command.c_str());
  }

  testing_support::TempFolder folder;
};

// Element k (in C order) of every array is (37 k mod 101) / 4 when a float, the remainder when an
// integer: exact in each type.
TEST_F(Numpy, ReadsEveryDtypeOrderAndVersion) {
  ASSERT_EQ(run(R"(
import itertools, numpy as np
shapes = [(5,), (7, 3), (70, 3, 4), (2, 3, 4, 5), (0, 3), (1, 1)]
kinds = ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'b1']
with open('list', 'w') as index:
    for number, (shape, kind, endian, order, version) in enumerate(itertools.product(
            shapes, kinds, '<>', 'CF', [(1, 0), (2, 0), (3, 0)])):
        k = np.arange(int(np.prod(shape))) * 37 % 101
        values = (k / 4 if kind[0] == 'f' else k).reshape(shape)
        array = np.asarray(values.astype(endian + kind), order=order)
        with open(f'{number}.npy', 'wb') as file:
            np.lib.format.write_array(file, array, version=version)
        print(number, kind, array.size, shape[0], file=index)
)"),
            0);
  std::ifstream index(folder.file("list"));
  int number = 0, arrays = 0;
  Index size = 0, rows = 0;
  std::string kind;
  for (; index >> number >> kind >> size >> rows; ++arrays) {
    const Array array = open_array(folder.file(std::to_string(number) + ".npy"));
    ASSERT_EQ(npy_code(array.dtype()), kind);
    ASSERT_EQ(array.size(), size);
    ASSERT_EQ(array.rows(), rows);
    const MatrixF floats = array.read_float();
    const Matrix doubles = array.read_double();
    for (Index k = 0; k < size; ++k) {
      const auto remainder = static_cast<double>(k * 37 % 101);
      const double expected = kind[0] == 'f' ? remainder / 4 : kind[0] == 'b' ? remainder != 0 : remainder;
      ASSERT_EQ(floats.data()[k], expected) << kind << " file " << number << " element " << k;
      ASSERT_EQ(doubles.data()[k], expected);
    }
    if (is_integer(array.dtype())) {
      const std::vector<std::int64_t> integers = array.read_int64();
      ASSERT_TRUE(std::equal(integers.begin(), integers.end(), doubles.data(), doubles.data() + size));
    }
  }
  EXPECT_EQ(arrays, 6 * 9 * 2 * 2 * 3);
}

TEST_F(Numpy, ReadsWhatWeWrite) {
  const MatrixF floats = (MatrixF(2, 3) << 0, 1, 2, 3, 4, 5).finished();
  const Matrix doubles = floats.cast<double>() / 10;
  const Vector vector = doubles.row(1);
  const std::vector<std::int64_t> ids = {0, 1, -2, 3, -4, 5};
  write_npy(folder.file("f.npy"), floats);
  write_npy(folder.file("d.npy"), doubles);
  write_npy(folder.file("v.npy"), vector);
  write_npy(folder.file("i.npy"), TensorView(ids, {1, 2, 3}));
  write_npy(folder.file("s.npy"), TensorView(std::span(ids).last(1), {}));
  write_safetensors(folder.file("x.safetensors"),
                    {{"f", floats}, {"d", doubles}, {"i", TensorView(ids, {1, 2, 3})}},
                    {{"k", "\"v\" \n ü"}});
  EXPECT_EQ(run(R"(
import json, struct, numpy as np
def same(a, b, dtype):
    assert a.dtype == dtype and a.shape == b.shape and np.array_equal(a, b), (a, b)
f = np.arange(6).reshape(2, 3)
i = np.array([[[0, 1, -2], [3, -4, 5]]])
same(np.load('f.npy'), f, '<f4')
same(np.load('d.npy'), f / 10, '<f8')
same(np.load('v.npy'), f[1] / 10, '<f8')
same(np.load('i.npy'), i, '<i8')
same(np.load('s.npy'), np.array(5), '<i8')

data = open('x.safetensors', 'rb').read()
length, = struct.unpack('<Q', data[:8])
header = json.loads(data[8:8 + length])
assert length % 8 == 0 and header.pop('__metadata__') == {'k': '"v" \n ü'}
for name, expected, dtype in (('f', f, 'F32'), ('d', f / 10, 'F64'), ('i', i, 'I64')):
    entry = header.pop(name)
    begin, end = entry['data_offsets']
    assert entry['dtype'] == dtype
    raw = np.frombuffer(data[8 + length:][begin:end], dict(F32='<f4', F64='<f8', I64='<i8')[dtype])
    assert np.array_equal(raw.reshape(entry['shape']), expected)
assert not header
)"),
            0);
}

}  // namespace
}  // namespace atcav::data
