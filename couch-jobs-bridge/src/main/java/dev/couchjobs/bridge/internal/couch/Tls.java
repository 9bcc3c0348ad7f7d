package dev.couchjobs.bridge.internal.couch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Trusts other certificates than those of the JDK. */
public final class Tls {
    private Tls() {}

    /**
     * Trusts the certificates in a file, and no others.
     *
     * @param file certificates in PEM, or a key store that Java reads
     * @param password the password of the key store; PEM has none
     * @return the context for an {@link java.net.http.HttpClient}
     * @throws CouchException if the file cannot be used
     */
    public static SSLContext trusting(Path file, Optional<String> password) {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(password.isPresent() ? store(file, password.get()) : certificates(file));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new CouchException(
                    0,
                    "The file " + file + " contains no certificate; use one in PEM, or a key store with its"
                            + " password (" + e + ")");
        }
    }

    private static KeyStore store(Path file, String password) throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(file.toFile(), password.toCharArray());
    }

    private static KeyStore certificates(Path file) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        char @Nullable [] noPassword = null;
        trusted.load(null, noPassword);
        try (InputStream pem = Files.newInputStream(file)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(pem);
            if (certificates.isEmpty()) {
                throw new IOException("It is empty");
            }
            for (Certificate certificate : certificates) {
                trusted.setCertificateEntry("trusted-" + trusted.size(), certificate);
            }
        }
        return trusted;
    }
}
