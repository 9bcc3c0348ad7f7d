package dev.couchjobs.fdb.internal.client;

/** The parts of FoundationDB's interfaces that make sense on a cluster only, each with what to use instead. */
final class Unsupported {
    private Unsupported() {}

    static UnsupportedOperationException tenants() {
        return refusal("Tenants are", "give each of yours a Subspace or a directory");
    }

    static UnsupportedOperationException blobGranules() {
        return refusal("Blob granules are", "read the range with getRange");
    }

    static UnsupportedOperationException mappedRanges() {
        return refusal("Mapped ranges are", "read the range with getRange, then get each key it leads to");
    }

    static UnsupportedOperationException clientStatus() {
        return refusal("The client status is", "there is no connection in process whose state could be told");
    }

    private static UnsupportedOperationException refusal(String feature, String instead) {
        return new UnsupportedOperationException(feature + " not part of the embedded engine; " + instead + ".");
    }
}
