package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate that no authority has signed, with its key, as files in PEM. */
final class TestCertificate {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private final KeyStore store;

    /**
     * Makes one, by the JDK's keytool.
     *
     * @param algorithm RSA or EC
     */
    TestCertificate(Path directory, String algorithm, String name) throws IOException, GeneralSecurityException {
        Path file = directory.resolve(name + ".p12");
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
