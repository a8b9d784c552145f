# The headers' plain comments as Doxygen reads them; one above a namespace is about the file.
/^\/\// { block = block "/" $0 "\n"; next }
{
  if (block != "") {
    if ($0 ~ /^namespace /) print "/// \\file"
    printf "%s", block
    block = ""
  }
  if ($0 ~ /^ +\/\//) sub(/\/\//, "///")
  else if ($0 ~ /[;,{}] +\/\/ /) sub(/\/\/ /, "///< ")
  print
}
