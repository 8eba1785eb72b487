FROM node:24-slim

WORKDIR /app

# The manifests first, so that a change of source does not load the dependencies again.
COPY package.json package-lock.json ./
COPY contract/package.json contract/
COPY dashboard/package.json dashboard/
COPY docs-site/package.json docs-site/
COPY engine-portable/package.json engine-portable/
COPY server/package.json server/
COPY sdk/browser/package.json sdk/browser/
COPY sdk/server/package.json sdk/server/
COPY bench/package.json bench/
COPY cli/package.json cli/
COPY cli/bin cli/bin
RUN npm ci --omit=dev && npm cache clean --force

COPY contract contract
COPY engine-portable engine-portable
COPY server server
# The product serves the tools of the MCP server.
COPY cli cli
# The product makes the browser SDK from its source.
COPY sdk/browser sdk/browser
# The product verifies webhooks with the server SDK.
COPY sdk/server sdk/server
# Made here, so that no start has to.
COPY dashboard dashboard
COPY scripts/dashboard.ts scripts/
RUN node scripts/dashboard.ts
# The product serves the docs, the problem pages and the OpenAPI document.
COPY docs docs
COPY docs-site docs-site
COPY scripts/docs.ts scripts/
RUN node scripts/docs.ts

RUN mkdir /data && chown node:node /data
USER node
ENV ASSAY_HOST=0.0.0.0 ASSAY_PORT=4400 ASSAY_DATA_DIR=/data
VOLUME /data
EXPOSE 4400

# The first start migrates both stores, which takes the portable engine up to a minute on a slow machine.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.ASSAY_PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Not through npm: the process itself has to hear SIGTERM in order to drain.
CMD ["node", "server/src/main.ts"]
