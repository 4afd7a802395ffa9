# The executable in an image without a shell. "docker build ." compiles it; with "--build-arg BINARY=given" the image gets
# the one that "npm run build:binary" has made in build/.
ARG NODE=docker.io/library/node:26-bookworm
ARG DEBIAN=docker.io/library/debian:bookworm-slim
ARG BASE=gcr.io/distroless/cc-debian12
ARG BINARY=compiled

FROM --platform=$BUILDPLATFORM ${NODE} AS compiled
ARG TARGETARCH
WORKDIR /source
COPY . .
RUN npm ci && npm run build:binary -- --platform "linux-$(echo "$TARGETARCH" | sed s/amd64/x64/)"

FROM scratch AS given
COPY build/latchkey-linux-* /source/build/

FROM ${BINARY} AS binary

# On the machine that builds, for any architecture: nothing here runs under an emulator.
FROM --platform=$BUILDPLATFORM ${DEBIAN} AS files
ARG TARGETARCH
COPY --from=binary /source/build/ /build/
RUN install -D "/build/latchkey-linux-$(echo "$TARGETARCH" | sed s/amd64/x64/)" /image/usr/bin/latchkey
# Node.js needs libatomic, which the base does not have.
RUN dpkg --add-architecture "$TARGETARCH" && apt-get update && cd /tmp && \
    apt-get download "libatomic1:$TARGETARCH" && dpkg -x libatomic1_*.deb atomic && \
    install -D atomic/usr/lib/*/libatomic.so.1 /image/usr/lib/libatomic.so.1
# A new volume gets the owner and the mode of this folder.
RUN install -d -o 65532 -g 65532 -m 0700 /image/data

FROM ${BASE}
COPY --from=files /image /
ENV LATCHKEY_DATA_DIR=/data \
    LATCHKEY_HOST=0.0.0.0
# A number, so that Kubernetes sees that it is not root.
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
# Requests in progress get 25 seconds: stop it with a longer timeout ("docker stop --time 30").
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["latchkey", "healthcheck"]
ENTRYPOINT ["latchkey"]
CMD ["serve"]
