# The image of a host: Node with the libraries that it needs, the built host, and its production dependencies. It contains
# no shell and no package manager. docs/guides/deploy.md explains how to build an image of your own host.
#
# Pin the digest of the image that you have checked: --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:…
# Only the build stage and a few libraries (glibc, libstdc++) come from it.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
ARG HOST_PACKAGE=@vertical-kit/demo-host
WORKDIR /work
COPY . .
RUN HOST_PACKAGE="${HOST_PACKAGE}" deploy/image/assemble.sh /image

FROM scratch
COPY --from=build /image/ /
WORKDIR /app
# glibc: one arena instead of one for each thread. Node needs no more, and it saves tens of megabytes.
ENV NODE_ENV=production HOST=0.0.0.0 MALLOC_ARENA_MAX=1
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
# Kubernetes ignores this instruction and has its own probes.
HEALTHCHECK --interval=10s --timeout=4s --start-period=30s --retries=3 \
  CMD ["/usr/local/bin/node", "--eval", \
    "fetch('http://127.0.0.1:' + (process.env.PORT ?? 8080) + '/health/live').then((r) => process.exit(r.ok ? 0 : 1))"]
# Node is the first process of the container and receives SIGTERM itself.
ENTRYPOINT ["/usr/local/bin/node", \
    "--max-semi-space-size=8", "--initial-old-space-size=16", "--heap-growing-percent=60"]
CMD ["dist/serve.js"]
