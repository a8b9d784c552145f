# docker build -t atcav . && docker run --rm -v "$PWD:/data" -w /data atcav demo -o out
# Debian 12 on the CPU, from the packages that `make` needs anywhere. The second stage holds the .deb and what it needs.
FROM debian:12-slim AS build
WORKDIR /atcav
COPY tools tools
RUN tools/install_packages.sh package
COPY . .
RUN make package

FROM debian:12-slim
COPY --from=build /atcav/build/package/*.deb /tmp/
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/*.deb libdnnl2 \
    && rm -rf /tmp/*.deb /var/lib/apt/lists/*
ENTRYPOINT ["atcav"]
CMD ["--help"]
