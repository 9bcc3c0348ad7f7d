package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.testing.TestClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose certificate no authority has signed. */
class TlsTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    private static Path directory;

    private static Path store;
    private static Path certificate;
    private HttpsServer server;

    /** Once for all tests: each call of the tool is a JVM. */
    @BeforeAll
    static void makeCertificate() throws Exception {
        store = directory.resolve("server.p12");
        certificate = directory.resolve("server.pem");
        keytool(
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost",
                "-alias",
                "server");
        keytool("-exportcert", "-rfc", "-alias", "server", "-file", certificate.toString());
    }

    @BeforeEach
    void start() throws Exception {
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(serverContext()));
        server.createContext("/jobs", exchange -> {
            byte[] answer = "{\"rows\":[{\"key\":\"x\",\"error\":\"not_found\"}]}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        ProcessBuilder builder = new ProcessBuilder(tool.toString());
        builder.command().addAll(List.of(arguments));
        builder.command().addAll(List.of("-keystore", store.toString(), "-storepass", PASSWORD));
        assertThat(builder.redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor())
                .isZero();
    }

    private SSLContext serverContext() throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void read(HttpClient client) {
        URI address = URI.create("https://localhost:" + server.getAddress().getPort() + "/jobs");
        try (HttpCouchDatabase database =
                new HttpCouchDatabase(CouchSettings.of(address, Environment.system(), client))) {
            assertThat(database.read(List.of("x"))
                            .orTimeout(20, TimeUnit.SECONDS)
                            .join())
                    .hasSize(1);
        }
    }

    @Test
    void aCertificateInPemIsTrusted() {
        read(HttpClient.newBuilder()
                .executor(TestClient.THREADS)
                .sslContext(Tls.trusting(certificate, Optional.empty()))
                .build());
    }

    @Test
    void aCertificateInAKeyStoreIsTrusted() throws Exception {
        Path trusted = directory.resolve("trusted.p12");
        KeyStore certificates = KeyStore.getInstance("PKCS12");
        certificates.load(null, null);
        certificates.setCertificateEntry(
                "server",
                KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()).getCertificate("server"));
        try (var out = Files.newOutputStream(trusted)) {
            certificates.store(out, PASSWORD.toCharArray());
        }
        read(HttpClient.newBuilder()
                .executor(TestClient.THREADS)
                .sslContext(Tls.trusting(trusted, Optional.of(PASSWORD)))
                .build());
    }

    @Test
    void otherwiseItIsNotAndThatIsAFaultThatSomebodyMayMend() {
        ManualTime time = new ManualTime();
        URI address = URI.create("https://localhost:" + server.getAddress().getPort() + "/jobs");
        try (HttpCouchDatabase database = new HttpCouchDatabase(TestClient.settings(address)
                .withTimeout(ManualTime.TIMEOUT)
                .withPauses(Duration.ofMillis(100), Duration.ofSeconds(10))
                .withEnvironment(time.environment()))) {
            var read = database.read(List.of("x"));
            time.passPause();
            assertThat(read).isNotDone();
        }
    }

    @Test
    void aFileWithoutCertificatesSaysWhatItShouldHave() throws IOException {
        Path empty = Files.createFile(directory.resolve("empty.pem"));
        assertThatThrownBy(() -> Tls.trusting(empty, Optional.empty()))
                .isInstanceOf(CouchException.class)
                .hasMessageContaining("use one in PEM");
        assertThatThrownBy(() -> Tls.trusting(store, Optional.of("wrong"))).isInstanceOf(CouchException.class);
        assertThatThrownBy(() -> Tls.trusting(directory.resolve("nowhere"), Optional.empty()))
                .isInstanceOf(CouchException.class);
    }
}
