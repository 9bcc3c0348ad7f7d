package dev.couchjobs.bench.jobs;

/**
 * The operations on a database. Keys and bytes are those of the last try of each transaction.
 *
 * @param transactions the number of transactions
 * @param writing the number of transactions that wrote
 * @param retries the number of tries beyond the first of each transaction
 * @param keysWritten keys set, changed or cleared; a cleared range counts as one
 * @param bytesWritten bytes in those keys and their values
 * @param keysRead keys read one by one
 * @param rangesRead ranges read
 * @param claims the number of transactions that claimed jobs
 * @param claimRetries the number of retries of these transactions
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

    /** The operations since an earlier time. */
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
