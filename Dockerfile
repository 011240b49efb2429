# Builds an image with the program, Node and the libraries that they load, for amd64 and arm64:
#
#   docker build --tag mokuroku .
#
# BASE must have Debian's package manager, and Node 20 or newer with npm.
ARG BASE=docker.io/library/node:24-trixie-slim

FROM ${BASE} AS build
RUN apt-get update && \
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends binutils libatomic1
# The packages that the program needs at run time, in the locked versions.
WORKDIR /image/opt/mokuroku
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --workspaces=false && rm .npmrc package-lock.json
# The program, as it is published.
WORKDIR /build
COPY .npmrc package.json package-lock.json ./
COPY sdk/package.json sdk/
RUN npm ci --ignore-scripts
COPY . .
ARG REVISION=
RUN npm run build && npm pack --ignore-scripts && \
  tar -xzf mokuroku-*.tgz --strip-components=1 -C /image/opt/mokuroku
WORKDIR /image
RUN mkdir -p data etc tmp usr/local/bin && \
  chown 10001:10001 data && chmod 700 data && chmod 1777 tmp && \
  echo 'mokuroku:x:10001:10001::/data:/sbin/nologin' > etc/passwd && \
  echo 'mokuroku:x:10001:' > etc/group && \
  cp "$(readlink -f opt/mokuroku/node_modules/.bin/node)" usr/local/bin/node && \
  strip usr/local/bin/node && \
  rm -r opt/mokuroku/node_modules/node-linux-* opt/mokuroku/node_modules/.bin
# The image has no package manager and no shell, so it contains the shared libraries that the programs name.
RUN find . -type f \( -name node -o -name '*.node' -o -name '*.so*' \) -exec ldd {} + | \
  grep -o '[[:space:]]/[^ ]*' | grep -v /image/ | sort -u | xargs cp --dereference --parents --target-directory=.

FROM scratch
ARG VERSION=
ARG REVISION=
LABEL org.opencontainers.image.title="mokuroku" \
  org.opencontainers.image.description="An open catalog of galgames, light novels and manga" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
COPY --from=build /image /
ENV PATH=/usr/local/bin HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /data
VOLUME /data
EXPOSE 14790
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "/opt/mokuroku/dist/mokuroku.js", "healthcheck"]
ENTRYPOINT ["node", "/opt/mokuroku/dist/mokuroku.js"]
CMD ["serve", "--no-demo"]
