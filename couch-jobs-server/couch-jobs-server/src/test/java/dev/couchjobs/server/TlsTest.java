package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.server.internal.cli.Typed;
import dev.couchjobs.server.internal.cli.Typed.Ran;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with certificates. */
@Timeout(120)
class TlsTest {
    private static final Duration OFTEN = Duration.ofMillis(20);

    @TempDir
    private Path directory;

    private final Database database = EmbeddedDatabase.openInMemory();
    private final CouchJobs jobs = CouchJobs.on(database);

    @AfterEach
    void close() {
        jobs.close();
        database.close();
    }

    private Path certificates() {
        return directory.resolve("chain.pem");
    }

    private Path key() {
        return directory.resolve("key.pem");
    }

    private JobsServer start(UnaryOperator<JobsHttp> settings, String host) {
        return JobsServer.start(
                settings.apply(JobsHttp.on(jobs, database)),
                ServerOptions.on(host, 0).tls(certificates(), key()),
                OFTEN);
    }

    private static HttpResponse<String> get(JobsServer server, SSLContext context) throws IOException {
        try {
            return HttpClient.newBuilder()
                    .sslContext(context)
                    .build()
                    .send(
                            HttpRequest.newBuilder(server.address().resolve("/v1/types"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String servedName(JobsServer server, SSLContext context) throws IOException {
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket("127.0.0.1", server.address().getPort())) {
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        }
    }

    @Test
    void rsaAndEcAreServedWithHttp2() throws IOException, GeneralSecurityException {
        for (String algorithm : new String[] {"RSA", "EC"}) {
            TestCertificate certificate = TestCertificate.of(algorithm, algorithm);
            certificate.write(certificates(), key());
            try (JobsServer server = start(http -> http, "127.0.0.1")) {
                assertThat(server.address().getScheme()).isEqualTo("https");
                HttpResponse<String> reply = get(server, TestCertificate.trusting(certificate));
                assertThat(reply.statusCode()).isEqualTo(200);
                assertThat(reply.version()).isEqualTo(HttpClient.Version.HTTP_2);
            }
        }
    }

    @Test
    void otherMachinesAreServedWithTokens() throws IOException, GeneralSecurityException {
        TestCertificate certificate = TestCertificate.of("EC", "EC");
        certificate.write(certificates(), key());
        try (JobsServer server = start(JobsHttp::tokens, "0.0.0.0")) {
            try (SSLSocket socket = (SSLSocket) TestCertificate.trusting(certificate)
                    .getSocketFactory()
                    .createSocket("127.0.0.1", server.address().getPort())) {
                socket.getOutputStream()
                        .write(RawClient.bytes(
                                "GET /v1/types HTTP/1.1\r\nHost: jobs.example.org\r\nConnection: close\r\n\r\n"));
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                        .startsWith("HTTP/1.1 401 ");
            }
        }
    }

    @Test
    void aCommandTrustsTheAuthorityThatItIsGiven() throws IOException, GeneralSecurityException {
        TestCertificate.of("EC", "EC").write(certificates(), key());
        try (JobsServer server = start(http -> http, "127.0.0.1")) {
            String url = server.address().toString();
            Ran refused = new Typed().run("list", "--url", url);
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.err())
                    .startsWith("couch-jobs: The certificate of https://")
                    .contains("is not trusted", "--ca-file", "COUCH_JOBS_CA_FILE")
                    .doesNotContain("PKIX");

            String file = certificates().toString();
            Ran trusted = new Typed().run("list", "--url", url, "--ca-file", file);
            assertThat(trusted.exitCode()).as(trusted.err()).isZero();
            assertThat(new Typed()
                            .with("COUCH_JOBS_CA_FILE", file)
                            .run("list", "--url", url)
                            .exitCode())
                    .isZero();

            Ran missing = new Typed().run("list", "--url", url, "--ca-file", file + ".old");
            assertThat(missing.exitCode()).isEqualTo(2);
            assertThat(missing.err()).contains("chain.pem.old", "--ca-file");
            Ran wrong = new Typed().run("list", "--url", url, "--ca-file", key().toString());
            assertThat(wrong.err()).contains("key.pem has no certificate in PEM");
        }
    }

    @Test
    void oldProtocolsAreRefused() throws IOException, GeneralSecurityException {
        TestCertificate certificate = TestCertificate.of("RSA", "RSA");
        certificate.write(certificates(), key());
        try (JobsServer server = start(http -> http, "127.0.0.1");
                SSLSocket socket = (SSLSocket) TestCertificate.trusting(certificate)
                        .getSocketFactory()
                        .createSocket("127.0.0.1", server.address().getPort())) {
            socket.setEnabledProtocols(new String[] {"TLSv1.1"});
            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
        }
    }

    @Test
    void certificatesThatChangeAreServed() throws IOException, GeneralSecurityException {
        TestCertificate first = TestCertificate.of("EC", "EC");
        TestCertificate second = TestCertificate.of("RSA", "RSA");
        SSLContext context = TestCertificate.trusting(first, second);
        first.write(certificates(), key());
        try (JobsServer server = start(http -> http, "127.0.0.1")) {
            assertThat(servedName(server, context)).isEqualTo("CN=EC");
            Files.writeString(certificates(), "half a file");
            assertThat(servedName(server, context)).isEqualTo("CN=EC");
            second.write(certificates(), key());
            String served = servedName(server, context);
            while (!served.equals("CN=RSA")) { // the time limit of the test ends it
                assertThat(served).isEqualTo("CN=EC");
                served = servedName(server, context);
            }
        }
    }

    @Test
    void filesThatCannotBeUsedAreNamed() throws IOException, GeneralSecurityException {
        TestCertificate one = TestCertificate.of("EC", "EC");
        TestCertificate other = TestCertificate.of("EC", "other");
        one.write(certificates(), key());
        String certificate = Files.readString(certificates());
        String key = Files.readString(key());
        other.write(certificates(), key());
        assertThatStartFails(certificate, Files.readString(key()), "is not the key of the first certificate");
        assertThatStartFails(key, key, "chain.pem has no certificate in PEM");
        assertThatStartFails(certificate, certificate, "key.pem has no private key in PEM");
        assertThatStartFails(certificate, key.replace("PRIVATE", "EC PRIVATE"), "openssl pkcs8 -topk8");
        assertThatStartFails(certificate, key.replace("PRIVATE", "ENCRYPTED PRIVATE"), "openssl pkcs8 -topk8");
        assertThatStartFails(
                certificate,
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
                "neither an RSA key nor an EC key");
        Files.delete(key());
        assertThatThrownBy(() -> start(http -> http, "127.0.0.1")).hasMessageContaining("key.pem");
    }

    private void assertThatStartFails(String certificate, String key, String message) throws IOException {
        Files.writeString(certificates(), certificate);
        Files.writeString(key(), key);
        assertThatThrownBy(() -> start(http -> http, "127.0.0.1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
