package dev.couchjobs;

import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.views.PayloadCipher;
import javax.crypto.SecretKey;

/**
 * The keys that encrypt payloads at rest by AES-256-GCM ({@link CouchJobsBuilder#encryption}): the data of jobs and
 * schedules, results, and the entries and checkpoints of logs. Everything else stays readable in the database: ids,
 * tags, keys of all kinds, times, progress, the texts of errors and reasons, and the digests of data by which {@link
 * Unique} jobs without a key and schedules that pass results recognise it.
 *
 * <pre>{@code
 * PayloadEncryption.writing("2026-11", key).reading("2026-05", olderKey)
 * }</pre>
 *
 * <p>To rotate: let all instances {@linkplain #reading read} with the new key, then let all {@linkplain #writing write}
 * with it, and drop the old key when no row has it: after the longest time that a job waits, runs and is kept, and
 * after each schedule was put again. Begin with {@link #writingPlaintext} in the same way. Encrypt at most four billion
 * payloads with one key: nonces are random.
 *
 * <p>The type of the job is authenticated, not its id: a writer of the database can exchange the payloads of jobs of
 * one type, or put back older ones. Immutable.
 */
public final class PayloadEncryption {
    private static final int KEY_BYTES = 32;

    private final PayloadCipher cipher;

    private PayloadEncryption(PayloadCipher cipher) {
        this.cipher = cipher;
    }

    /**
     * Writes with a key, and reads what was written with it and what is not encrypted.
     *
     * @param keyId names the key, 1 to 64 bytes in UTF-8; it is stored with each payload
     * @param key a key of AES with 256 bits
     * @return the encryption
     * @throws IllegalArgumentException if the id or the key is anything else
     */
    public static PayloadEncryption writing(String keyId, SecretKey key) {
        check(Name.ENCRYPTION_KEY.checked(keyId), key);
        return new PayloadEncryption(PayloadCipher.NONE.writing(keyId, key));
    }

    /** {@return an encryption that writes plaintext, to be given keys to read with} */
    public static PayloadEncryption writingPlaintext() {
        return new PayloadEncryption(PayloadCipher.NONE);
    }

    /**
     * Also reads what was written with another key.
     *
     * @param keyId names the key
     * @param key a key of AES with 256 bits
     * @return an encryption that has this key too
     * @throws IllegalArgumentException if there is a key with the id, or the id or the key is not valid
     */
    public PayloadEncryption reading(String keyId, SecretKey key) {
        check(Name.ENCRYPTION_KEY.known(keyId), key);
        if (cipher.keyIds().contains(keyId)) {
            throw new IllegalArgumentException("There is a key \"" + keyId
                    + "\" already: give each key an id of its own, and never use one again.");
        }
        return new PayloadEncryption(cipher.reading(keyId, key));
    }

    /**
     * Refuses payloads that are not encrypted, so that nothing is read that was not written with a key: they fail with
     * {@link PayloadException}.
     *
     * @return such an encryption
     * @throws IllegalStateException if this one writes plaintext
     */
    public PayloadEncryption refusingPlaintext() {
        if (cipher.current() == null) {
            throw new IllegalStateException(
                    "This encryption writes plaintext, which it could not read: begin with writing(keyId, key).");
        }
        return new PayloadEncryption(cipher.refusingPlaintext());
    }

    PayloadCipher cipher() {
        return cipher;
    }

    private static void check(String keyId, SecretKey key) {
        byte[] encoded = key.getEncoded(); // null if a device holds the key
        if (!key.getAlgorithm().equals("AES") || (encoded != null && encoded.length != KEY_BYTES)) {
            throw new IllegalArgumentException("The key \"" + keyId
                    + "\" must be one of AES with 256 bits; it is one of "
                    + key.getAlgorithm() + (encoded == null ? "" : " with " + encoded.length * Byte.SIZE + " bits")
                    + ".");
        }
    }

    /** {@return the ids of the keys, and never a key} */
    @Override
    public String toString() {
        return "PayloadEncryption[writes " + (cipher.current() == null ? "plaintext" : cipher.current()) + ", reads "
                + cipher.keyIds() + "]";
    }
}
