package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the dashboard, and what protects the reader of its pages. */
@Timeout(60)
class DashboardTest {
    private static final Map<String, String> TYPES = Map.of(
            "mjs", "text/javascript;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "svg", "image/svg+xml",
            "txt", "text/plain;charset=utf-8");
    private static final Pattern IMPORT = Pattern.compile("(?:from\\s*|import\\s*\\(?\\s*)['\"]([^'\"\\s]+)['\"]");
    private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"(assets/[^\"]+)\"");

    /** What the module of the dashboard has built, whether its jar is made already or not. */
    private static final Path FOLDER =
            Path.of("..", "couch-jobs-dashboard", "target", "classes", "dev", "couchjobs", "server", "dashboard");

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(FOLDER)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("index.html"))
                    .toList();
        }
    }

    private static String text(Response response) {
        return new String(response.http().body(), StandardCharsets.UTF_8);
    }

    private static void hasPolicy(Response response) {
        assertThat(response.header("Content-Security-Policy"))
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'")
                .contains("img-src 'self' data:", "frame-ancestors 'none'", "require-trusted-types-for 'script'")
                .doesNotContain("unsafe", "http:", "https:", "*");
        assertThat(response.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(response.header("Referrer-Policy")).isEqualTo("no-referrer");
    }

    @Test
    void everyFileIsServed() throws Exception {
        assertThat(files()).hasSizeGreaterThan(20);
        for (Path file : files()) {
            String name = FOLDER.relativize(file).toString();
            Response response = server.get("/assets/" + name);
            assertThat(response.status()).as(name).isEqualTo(200);
            assertThat(response.http().body()).as(name).isEqualTo(Files.readAllBytes(file));
            assertThat(response.header("Content-Type"))
                    .as(name)
                    .isEqualTo(TYPES.get(name.substring(name.lastIndexOf('.') + 1)));
            hasPolicy(response);
        }
    }

    @Test
    void theLibrariesAreThereWithTheirLicences() {
        assertThat(text(server.get("/assets/libraries/LICENSES.txt")))
                .contains("preact 11.", "htm 3.1.1", "uplot 1.6.32", "MIT", "Apache License");
    }

    /** Neither a package nor another server is named, and no file is missing. */
    @Test
    void whatFilesLoadIsThere() throws Exception {
        for (Path file : files()) {
            if (file.toString().endsWith(".mjs")) {
                for (MatchResult found :
                        IMPORT.matcher(Files.readString(file)).results().toList()) {
                    assertThat(found.group(1)).as(file.toString()).startsWith(".");
                    assertThat(Objects.requireNonNull(file.getParent()).resolve(found.group(1)))
                            .exists();
                }
            }
        }
        List<String> references = REFERENCE
                .matcher(text(server.get("/")))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(references).contains("assets/main.mjs", "assets/style.css");
        for (String reference : references) {
            assertThat(server.get("/" + reference).status()).as(reference).isEqualTo(200);
        }
    }

    /** Text of users reaches the page by text nodes and attributes alone. */
    @Test
    void noTextBecomesMarkup() throws Exception {
        for (Path file : files()) {
            if (file.toString().endsWith(".mjs") && !file.toString().contains("libraries")) {
                assertThat(Files.readString(file))
                        .as(file.toString())
                        .doesNotContain("innerHTML", "InnerHTML", "outerHTML", "insertAdjacent", "document.write")
                        .doesNotContain("DOMParser", "eval(", "new Function", "style=\"", "onclick=");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"/, ./", "/ui/jobs?type=a, ../", "/ui/a/b, ../../", "/ui/job?id=a/b, ../", "/ui/, ../"})
    void everyPageIsTheIndexAndFindsItsFiles(String path, String base) {
        Response page = server.get(path);
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).isEqualTo("text/html;charset=utf-8");
        assertThat(text(page)).contains("<base href=\"" + base + "\">").doesNotContain("http:", "https:", "style=");
        hasPolicy(page);
    }

    @Test
    void whatTheBrowserHasIsNotSentAgain() {
        for (String path : List.of("/", "/ui/jobs", "/assets/style.css")) {
            Response first = server.get(path);
            assertThat(first.header("Cache-Control")).isEqualTo("no-cache");
            Response again = server.get(path, "If-None-Match", first.header("ETag"));
            assertThat(again.status()).isEqualTo(304);
            assertThat(again.http().body()).isEmpty();
            assertThat(server.get(path, "If-None-Match", "\"other\"").status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/assets/",
                "/assets/none.mjs",
                "/assets/index.html",
                "/assets/../openapi.yaml",
                "/assets/..%2Fopenapi.yaml",
                "/assets/%2e%2e/openapi.yaml",
                "/assets/pages%2Fjob.mjs",
                "/assets//style.css",
                "/assets/style.css/",
                "/assets/parts",
                "/assets/libraries/../../openapi.yaml"
            })
    void nothingElseIsServed(String path) {
        assertThat(server.get(path).status()).isEqualTo(404);
    }

    @Test
    void filesAreOnlyRead() {
        Response written = server.post("/assets/style.css", "");
        assertThat(written.status()).isEqualTo(405);
        assertThat(written.header("Allow")).isEqualTo("GET, HEAD");
        Response head = server.send(server.request("HEAD", "/", ""));
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.http().body()).isEmpty();
    }

    /** They hold no data, and the page has to ask for the token. */
    @Test
    void filesNeedNoToken() {
        try (TestServer closed = new TestServer(
                http -> http.authenticator(request -> CompletableFuture.completedFuture(Optional.empty())))) {
            assertThat(closed.get("/").status()).isEqualTo(200);
            assertThat(closed.get("/assets/main.mjs").status()).isEqualTo(200);
            assertThat(closed.get("/v1/types").status()).isEqualTo(401);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site", "anything"})
    void anotherSiteCannotWrite(String site) {
        for (String method : List.of("POST", "PUT", "DELETE")) {
            Response refused = server.send(server.request(method, "/v1/types/a/pause", "", "Sec-Fetch-Site", site));
            assertThat(refused.status()).as(method).isEqualTo(403);
            assertThat(refused.problem()).isEqualTo("cross-site");
        }
        assertThat(server.get("/v1/types", "Sec-Fetch-Site", site).status()).isEqualTo(200);
        assertThat(server.get("/v1/types/a").body().has("pause")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"same-origin", "none"})
    void thePageItselfCanWrite(String site) {
        assertThat(server.post("/v1/types/a/pause", "", "Sec-Fetch-Site", site).status())
                .isEqualTo(204);
    }

    /** Browsers send Sec-Fetch-Site over HTTPS and to this machine only. */
    @Test
    void withoutThatHeaderTheOriginDecides() {
        String own = server.uri("/").toString().replaceAll("/$", "");
        assertThat(server.post("/v1/types/a/pause", "", "Origin", own).status()).isEqualTo(204);
        for (String origin : List.of("https://example.org", "null", "http://127.0.0.1:1", "not a url")) {
            assertThat(server.post("/v1/types/a/resume", "", "Origin", origin).problem())
                    .as(origin)
                    .isEqualTo("cross-site");
        }
        assertThat(server.post("/v1/types/a/resume", "").status()).isEqualTo(204);
    }

    @ParameterizedTest
    @CsvSource({"/, /ops/jobs/*, /ops/jobs", "/ops, /jobs/*, /ops/jobs", "/ops/jobs, /*, /ops/jobs"})
    void theServletMayBeMountedAnywhere(String context, String mapping, String prefix) throws Exception {
        Server other = new Server();
        ServerConnector connector = new ServerConnector(other);
        connector.setHost("127.0.0.1");
        other.addConnector(connector);
        ServletContextHandler handler = new ServletContextHandler(context);
        ServletHolder holder =
                new ServletHolder(JobsHttp.on(server.jobs, server.database).servlet());
        holder.setAsyncSupported(true);
        handler.addServlet(holder, mapping);
        other.setHandler(handler);
        other.start();
        try {
            URI root = URI.create("http://127.0.0.1:" + connector.getLocalPort() + prefix + "/");
            for (String path : List.of("", "ui/jobs", "ui/a/b")) {
                URI page = root.resolve(path);
                String html = text(get(page));
                URI base = page.resolve(html.replaceAll("(?s).*<base href=\"([^\"]*)\">.*", "$1"));
                assertThat(base).isEqualTo(root);
            }
            assertThat(get(root.resolve("assets/main.mjs")).status()).isEqualTo(200);
            assertThat(get(root.resolve("v1/types")).status()).isEqualTo(200);
            URI bare = URI.create(root.toString().replaceAll("/$", ""));
            Response redirect = get(bare);
            assertThat(redirect.status()).isBetween(301, 308);
            assertThat(bare.resolve(redirect.header("Location"))).isEqualTo(root);
        } finally {
            other.stop();
        }
    }

    private Response get(URI uri) {
        return server.send(java.net.http.HttpRequest.newBuilder(uri).build());
    }
}
