package dev.couchjobs.bench.jobs;

/**
 * What was done to a database. Keys and bytes are those of tries that were the last of their transactions.
 *
 * @param transactions how many were run, whatever they did
 * @param writing how many of them wrote something
 * @param retries how many further tries they took
 * @param keysWritten keys set, changed or cleared; a cleared range counts as one
 * @param bytesWritten bytes in those keys and their values
 * @param keysRead keys read one by one
 * @param rangesRead ranges read
 * @param claims how many transactions took jobs out of the pending queue
 * @param claimRetries how many further tries those took
 */
record Traffic(
        long transactions,
        long writing,
        long retries,
        long keysWritten,
        long bytesWritten,
        long keysRead,
        long rangesRead,
        long claims,
        long claimRetries) {
    static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0, 0, 0, 0);

    Traffic plus(Traffic other) {
        return new Traffic(
                transactions + other.transactions,
                writing + other.writing,
                retries + other.retries,
                keysWritten + other.keysWritten,
                bytesWritten + other.bytesWritten,
                keysRead + other.keysRead,
                rangesRead + other.rangesRead,
                claims + other.claims,
                claimRetries + other.claimRetries);
    }

    /** What was done since an earlier time. */
    Traffic since(Traffic earlier) {
        return new Traffic(
                transactions - earlier.transactions,
                writing - earlier.writing,
                retries - earlier.retries,
                keysWritten - earlier.keysWritten,
                bytesWritten - earlier.bytesWritten,
                keysRead - earlier.keysRead,
                rangesRead - earlier.rangesRead,
                claims - earlier.claims,
                claimRetries - earlier.claimRetries);
    }
}
