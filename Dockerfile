# The service in a container: the base install, a user without rights, a store under /data.
FROM python:3.12-slim

WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN pip install --no-cache-dir -c constraints.txt . && useradd --create-home memnn \
    && mkdir /data && chown memnn /data
USER memnn
# The kernels are compiled here, once, and not at every start.
RUN echo 'Who is here?' | memnn chat > /dev/null
VOLUME /data
EXPOSE 8080
CMD ["memnn", "serve", "--host", "0.0.0.0", "--store", "/data/memory.db", "--token-file", "/run/token"]
