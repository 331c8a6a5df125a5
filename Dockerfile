# One image for every process of the stack; compose.yaml says which one a container runs.
FROM node:24-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /holdfast
ENV PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 TURBO_TELEMETRY_DISABLED=1 HOLDFAST_CHROMIUM=/usr/bin/chromium
COPY . .
RUN npm ci && npm run build && npm prune --omit=dev
# What a service is told stands in a file that the container `keys` made for it.
ENTRYPOINT ["/bin/sh", "-c", "set -a; . /secrets/$0.env; exec node services/$0/dist/main.js"]
