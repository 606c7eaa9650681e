# The command and the agent of a fleet in a container:
#
#     docker build -t cannonade .
#     docker run --rm --network host cannonade -d 10 http://localhost:3000
#     docker run --rm -v "$PWD:/work" cannonade --config load.config.mjs --html report.html
#     docker run --rm -e CANNONADE_FLEET_KEY cannonade agent --redis redis://10.0.0.5 --allow shop.test:443

ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-alpine AS build
# What fleets need; for gRPC, OpenAPI and others, add the package that the error message names.
ARG PACKAGES="bullmq@6.7.0 ioredis@6.0.0"
WORKDIR /source
COPY . .
RUN npm pack --ignore-scripts --pack-destination /tmp
WORKDIR /opt/cannonade
# A file, and PACKAGES, which is a list.
# hadolint ignore=DL3016,SC2086
RUN npm install --prefix . --omit=dev --ignore-scripts --no-audit --no-fund /tmp/cannonade-*.tgz ${PACKAGES}

FROM node:${NODE_VERSION}-alpine
ENV NODE_ENV=production PATH=/opt/cannonade/node_modules/.bin:$PATH
COPY --from=build /opt/cannonade /opt/cannonade
# Files of a run: configs, hooks, recordings, reports.
WORKDIR /work
# The user `node`, as a number: Kubernetes can't tell whether a name is root.
USER 1000:1000
# Ctrl-C and `docker stop` end a run or an agent gracefully.
STOPSIGNAL SIGTERM
ENTRYPOINT ["cannonade"]
CMD ["--help"]
