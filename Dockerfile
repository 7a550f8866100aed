# The workbench and the HTTP API of adequa, as a user without rights. Build and run, with a read-only root:
#   docker build -t adequa .
#   openssl rand -hex 32 > adequa-token && chmod 644 adequa-token
#   docker run --read-only --tmpfs /tmp -v adequa-data:/data -v ./adequa-token:/run/secrets/adequa-token:ro \
#     -p 127.0.0.1:8080:8080 adequa
# Any other command of adequa works too: docker run … adequa score /data/items.jsonl --out /data/run
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/adequa \
 && /opt/adequa/bin/pip install --no-cache-dir --disable-pip-version-check '.[web,postgres]'

FROM python:3.12-slim
COPY --from=build /opt/adequa /opt/adequa
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin adequa \
 && install -d -o 10001 -g 10001 /data
# All that is written goes to the volume, or to /tmp.
ENV PATH=/opt/adequa/bin:$PATH \
    HOME=/tmp \
    ADEQUA_CACHE=/data/cache \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s \
  CMD ["python", "-c", "from urllib.request import Request, urlopen; token = open('/run/secrets/adequa-token').readline().strip(); urlopen(Request('http://127.0.0.1:8080/v1/health', headers={'Authorization': f'Bearer {token}'}), timeout=4)"]
ENTRYPOINT ["adequa"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080", "--token-file", "/run/secrets/adequa-token", "--folder", "/data/runs"]
