package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.TemporaryDirectories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate that no authority has signed, with its key, as files in PEM. */
final class TestCertificate {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[] {'\n'});

    /** Made once for all tests: each takes a process. */
    private static final Map<String, TestCertificate> MADE = new ConcurrentHashMap<>();

    private final KeyStore store;

    /**
     * {@return one, always the same for a name}
     *
     * @param algorithm RSA or EC
     */
    static TestCertificate of(String algorithm, String name) {
        return MADE.computeIfAbsent(name, absent -> {
            try {
                return new TestCertificate(algorithm, name);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Makes one, by the JDK's keytool. */
    private TestCertificate(String algorithm, String name) throws IOException, GeneralSecurityException {
        Path file = TemporaryDirectories.fresh().resolve(name + ".p12");
        Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        ProcessBuilder builder = new ProcessBuilder(List.of(
                tool.toString(),
                "-genkeypair",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + name,
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-alias",
                "server",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD)));
        try {
            assertThat(builder.redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor())
                    .isZero();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        store = KeyStore.getInstance(file.toFile(), PASSWORD);
    }

    private static String pem(String what, byte[] encoded) {
        return "-----BEGIN " + what + "-----\n" + BASE64.encodeToString(encoded) + "\n-----END " + what + "-----\n";
    }

    void write(Path certificates, Path key) throws IOException, GeneralSecurityException {
        Files.writeString(
                certificates, pem("CERTIFICATE", store.getCertificate("server").getEncoded()));
        Files.writeString(
                key, pem("PRIVATE KEY", store.getKey("server", PASSWORD).getEncoded()));
    }

    String name() throws GeneralSecurityException {
        return ((X509Certificate) store.getCertificate("server"))
                .getSubjectX500Principal()
                .getName();
    }

    /** {@return what a client uses that trusts some certificates} */
    static SSLContext trusting(TestCertificate... certificates) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        for (TestCertificate certificate : certificates) {
            trusted.setCertificateEntry(certificate.name(), certificate.store.getCertificate("server"));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
