package dev.couchjobs.server.internal.jetty;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** A certificate with its chain, and its private key, in PEM. */
public final class PemFiles {
    static final String PASSWORD = "in memory";

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC");
    private static final String CONVERT = "`openssl pkcs8 -topk8 -nodes -in OLD -out NEW` writes one that it can.";

    private PemFiles() {}

    /**
     * {@return a store with the certificates and the key}
     *
     * @throws IllegalArgumentException if a file cannot be read, or does not go with the other
     */
    public static KeyStore load(NetSettings.Tls files) {
        try {
            Certificate[] chain = certificates(files.certificates());
            PrivateKey key = key(files.key());
            requirePair(files, chain[0], key);
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("server", key, PASSWORD.toCharArray(), chain);
            return store;
        } catch (IOException e) {
            throw new IllegalArgumentException("A file for TLS cannot be read: " + e + ".", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("The files for TLS cannot be used: " + e.getMessage() + ".", e);
        }
    }

    /**
     * {@return what a client uses that trusts the certificates of a file, and no others}
     *
     * @throws IllegalArgumentException if the file cannot be read
     */
    public static SSLContext trusting(Path file) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            Certificate[] trusted = certificates(file);
            for (int i = 0; i < trusted.length; i++) {
                store.setCertificateEntry("authority " + i, trusted[i]);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return context(trust.getTrustManagers());
        } catch (IOException e) {
            throw new IllegalArgumentException("A file for TLS cannot be read: " + e + ".", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(file + " cannot be used: " + e.getMessage() + ".", e);
        }
    }

    /** {@return what a client uses that trusts no certificate} */
    public static SSLContext trustingNone() {
        try {
            return context();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Java has no TLS.", e);
        }
    }

    private static SSLContext context(TrustManager... trust) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust, null);
        return context;
    }

    private static Certificate[] certificates(Path file) throws IOException, GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        byte[] pem = Files.readAllBytes(file);
        Certificate[] chain = new String(pem, StandardCharsets.ISO_8859_1).contains("-----BEGIN CERTIFICATE-----")
                ? factory.generateCertificates(new ByteArrayInputStream(pem)).toArray(Certificate[]::new)
                : new Certificate[0];
        if (chain.length == 0) {
            throw new IllegalArgumentException(
                    file + " has no certificate in PEM: it has to begin with" + " -----BEGIN CERTIFICATE-----.");
        }
        return chain;
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        Matcher blocks = BLOCK.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        while (blocks.find()) {
            switch (blocks.group(1)) {
                case "PRIVATE KEY" -> {
                    return key(file, Base64.getMimeDecoder().decode(blocks.group(2)));
                }
                case "ENCRYPTED PRIVATE KEY" ->
                    throw new IllegalArgumentException(
                            file + " is encrypted, which the server cannot read. " + CONVERT);
                case "RSA PRIVATE KEY", "EC PRIVATE KEY" ->
                    throw new IllegalArgumentException(
                            file + " has a key in an older form, which the server cannot read. " + CONVERT);
                default -> {} // such as EC PARAMETERS
            }
        }
        throw new IllegalArgumentException(
                file + " has no private key in PEM: it has to contain" + " -----BEGIN PRIVATE KEY-----.");
    }

    private static PrivateKey key(Path file, byte[] encoded) throws GeneralSecurityException {
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException e) {
                // It may be of the other algorithm.
            }
        }
        throw new IllegalArgumentException(file + " has neither an RSA key nor an EC key: the server reads these.");
    }

    private static void requirePair(NetSettings.Tls files, Certificate certificate, PrivateKey key)
            throws GeneralSecurityException {
        byte[] text = "a text to be signed".getBytes(StandardCharsets.UTF_8);
        boolean isPair = key.getAlgorithm().equals(certificate.getPublicKey().getAlgorithm());
        if (isPair) {
            Signature signature =
                    Signature.getInstance(key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA");
            signature.initSign(key);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(text);
            isPair = signature.verify(signed);
        }
        if (!isPair) {
            throw new IllegalArgumentException(files.key() + " is not the key of the first certificate in "
                    + files.certificates() + ": put the server's own certificate first, or give its key.");
        }
    }
}
