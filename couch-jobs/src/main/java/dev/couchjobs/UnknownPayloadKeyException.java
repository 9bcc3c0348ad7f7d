package dev.couchjobs;

import java.util.Collection;

/** A payload is encrypted with a key that this instance does not have; see {@link PayloadEncryption}. */
public final class UnknownPayloadKeyException extends PayloadException {
    private static final long serialVersionUID = 1L;

    private final String keyId;

    /**
     * Made by couch-jobs.
     *
     * @param payload which payload it is
     * @param keyId the id of the key
     * @param known the ids of the keys that the instance has
     */
    public UnknownPayloadKeyException(String payload, String keyId, Collection<String> known) {
        super(payload + " is encrypted with the key \"" + keyId + "\", which this instance does not have; it has "
                + (known.isEmpty() ? "none" : String.join(", ", known))
                + ". Add the key by PayloadEncryption.reading, and then run the job again if it has failed.");
        this.keyId = keyId;
    }

    /** {@return the id of the key} */
    public String keyId() {
        return keyId;
    }
}
