package dev.couchjobs.internal.views;

import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTamperedException;
import dev.couchjobs.UnknownPayloadKeyException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Encrypts payloads by AES-256-GCM, and reads them, encrypted or not. Immutable.
 *
 * <p>An encrypted payload is a marker, with which no text in UTF-8 and so no JSON begins, the version of this format,
 * the length of the key's id, the id, a nonce of twelve bytes, the encrypted JSON, and a tag of sixteen bytes. What
 * stands before the nonce, the name of the type and the use of the payload are authenticated too. Neither the id of the
 * job nor whether the payload is data or a result is: schedules copy data from job to job, and results into data.
 */
public final class PayloadCipher {
    /** Payloads are written as JSON. */
    public static final PayloadCipher NONE = new PayloadCipher(null, Map.of(), false);

    private static final byte MARKER = (byte) 0xC1;
    private static final byte VERSION = 1;
    /** Begins an encrypted text, and no JSON. */
    private static final char TEXT_MARKER = '!';

    private static final int FIXED_BYTES = 3;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final @Nullable String current;
    private final Map<String, SecretKey> keys;
    private final boolean isPlaintextRefused;

    private PayloadCipher(@Nullable String current, Map<String, SecretKey> keys, boolean isPlaintextRefused) {
        this.current = current;
        this.keys = keys;
        this.isPlaintextRefused = isPlaintextRefused;
    }

    /** What a payload is used for. A payload cannot be moved to another use. */
    enum Use {
        /** The data or the result of a job. */
        DATA((byte) 0),
        /** An entry of a log. */
        ENTRY((byte) 1);

        private final byte code;

        Use(byte code) {
            this.code = code;
        }
    }

    /** The place of a payload. */
    record Place(Use use, String what, String typeName, String jobId) {
        private String describe() {
            return "The " + what + " of job " + jobId + " of type " + typeName;
        }
    }

    /** {@return a copy that also reads what was written with a key} */
    public PayloadCipher reading(String id, SecretKey key) {
        Map<String, SecretKey> more = new TreeMap<>(keys);
        more.put(id, key);
        return new PayloadCipher(current, Collections.unmodifiableMap(more), isPlaintextRefused);
    }

    /** {@return a copy that writes with a key} */
    public PayloadCipher writing(String id, SecretKey key) {
        return new PayloadCipher(id, reading(id, key).keys, isPlaintextRefused);
    }

    /** {@return a copy that reads nothing that is not encrypted} */
    public PayloadCipher refusingPlaintext() {
        return new PayloadCipher(current, keys, true);
    }

    /** {@return the ids of the keys} */
    public Set<String> keyIds() {
        return keys.keySet();
    }

    /** {@return the id of the key that encrypts, if one does} */
    public @Nullable String current() {
        return current;
    }

    // Bytes

    byte[] seal(Place place, byte[] json) {
        SecretKey key = current == null ? null : keys.get(current);
        if (current == null || key == null) {
            return json;
        }
        byte[] header = header(current);
        try {
            Cipher cipher = cipher();
            cipher.init(Cipher.ENCRYPT_MODE, key); // draws a nonce: an environment might draw one twice from its seed
            byte[] nonce = cipher.getIV();
            authenticate(cipher, header, place);
            ByteBuffer sealed = ByteBuffer.allocate(header.length + nonce.length + cipher.getOutputSize(json.length));
            sealed.put(header).put(nonce);
            cipher.doFinal(ByteBuffer.wrap(json), sealed);
            return sealed.array();
        } catch (Throwable e) { // also an error: the key is the user's, and may be of a device
            throw new PayloadException(
                    place.describe() + " cannot be encrypted with the key \"" + current
                            + "\": look whether it is a key of AES with 256 bits. Nothing was stored.",
                    e);
        }
    }

    /**
     * {@return the JSON of a stored payload}
     *
     * @throws PayloadException if it cannot be read
     */
    byte[] open(Place place, byte[] stored) {
        if (!isSealed(stored)) {
            if (isPlaintextRefused) {
                throw new PayloadException(
                        place.describe() + " is not encrypted, and this instance refuses such payloads:"
                                + " remove the job, or allow plaintext until it has ended.");
            }
            return stored;
        }
        int idBytes = stored.length < FIXED_BYTES || stored[1] != VERSION ? -1 : Byte.toUnsignedInt(stored[2]);
        int nonceAt = FIXED_BYTES + idBytes;
        if (idBytes < 0 || stored.length < nonceAt + NONCE_BYTES + TAG_BITS / Byte.SIZE) {
            throw new PayloadTamperedException(place.describe());
        }
        String id = new String(stored, FIXED_BYTES, idBytes, StandardCharsets.UTF_8);
        SecretKey key = keys.get(id);
        if (key == null) {
            throw new UnknownPayloadKeyException(place.describe(), id, keys.keySet());
        }
        try {
            Cipher cipher = cipher();
            cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, stored, nonceAt, NONCE_BYTES));
            authenticate(cipher, Arrays.copyOf(stored, nonceAt), place);
            int from = nonceAt + NONCE_BYTES;
            return cipher.doFinal(stored, from, stored.length - from);
        } catch (AEADBadTagException e) {
            throw new PayloadTamperedException(place.describe());
        } catch (Throwable e) { // as above
            throw new PayloadException(
                    place.describe() + " cannot be read with the key \"" + id
                            + "\": look whether it is a key of AES with 256 bits.",
                    e);
        }
    }

    private static boolean isSealed(byte[] stored) {
        return stored.length > 0 && stored[0] == MARKER;
    }

    /** {@return whether a stored payload means the same as a text, and is sealed as this object would do it} */
    boolean holds(Place place, byte[] stored, byte[] json) {
        boolean isUpToDate = current == null ? !isSealed(stored) : startsWith(stored, header(current));
        try {
            return isUpToDate && isSame(open(place, stored), json);
        } catch (PayloadException | JacksonException e) { // it is replaced
            return false;
        }
    }

    private static boolean isSame(byte[] stored, byte[] json) {
        return Arrays.equals(stored, json) || Arrays.equals(CanonicalJson.of(stored), CanonicalJson.of(json));
    }

    private static boolean startsWith(byte[] stored, byte[] header) {
        return stored.length >= header.length && Arrays.equals(stored, 0, header.length, header, 0, header.length);
    }

    private static byte[] header(String id) {
        byte[] name = id.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(FIXED_BYTES + name.length)
                .put(MARKER)
                .put(VERSION)
                .put((byte) name.length)
                .put(name)
                .array();
    }

    private static Cipher cipher() throws GeneralSecurityException {
        return Cipher.getInstance("AES/GCM/NoPadding");
    }

    private static void authenticate(Cipher cipher, byte[] header, Place place) {
        cipher.updateAAD(header);
        cipher.updateAAD(new byte[] {place.use().code});
        cipher.updateAAD(place.typeName().getBytes(StandardCharsets.UTF_8));
    }

    // Texts

    String sealText(Place place, byte[] json) {
        byte[] sealed = seal(place, json);
        return isSealed(sealed)
                ? TEXT_MARKER + Base64.getEncoder().encodeToString(sealed)
                : new String(json, StandardCharsets.UTF_8);
    }

    String openText(Place place, String stored) {
        return new String(open(place, bytes(place, stored)), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(Place place, String stored) {
        if (stored.isEmpty() || stored.charAt(0) != TEXT_MARKER) {
            return stored.getBytes(StandardCharsets.UTF_8);
        }
        try {
            return Base64.getDecoder().decode(stored.substring(1));
        } catch (IllegalArgumentException e) {
            throw new PayloadTamperedException(place.describe());
        }
    }
}
