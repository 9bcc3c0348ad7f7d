package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.keys.KeyValuePair;

/** What remains of the limits of one fetch. */
final class ReadLimits {
    private static final int MAX_DOUBLINGS = 20;
    private static final long MAX_REPLY_BYTES = 80_000;
    private static final long UNLIMITED = Long.MAX_VALUE;

    private final boolean hasRows;
    private final boolean hasBytes;
    private long rows;
    private long bytes;
    /** A byte limit lets this many rows through. */
    private long minRows = 1;

    /** 0 is no limit. */
    ReadLimits(long rows, long bytes) {
        this.hasRows = rows != 0;
        this.hasBytes = bytes != 0;
        this.rows = hasRows ? rows : UNLIMITED;
        this.bytes = hasBytes ? bytes : UNLIMITED;
    }

    boolean hasBytes() {
        return hasBytes;
    }

    /** Whether the byte limit may end the read. */
    boolean hasMinimum() {
        return hasBytes && minRows == 0;
    }

    boolean isReached() {
        return rows == 0 || (bytes == 0 && minRows == 0);
    }

    void count(KeyValuePair row) {
        minRows = Math.max(0, minRows - 1);
        rows -= hasRows ? 1 : 0;
        bytes = hasBytes ? Math.max(0, bytes - row.rowBytes()) : bytes;
    }

    /** The limits of a request that the client sends for this read. */
    ReadLimits forRequest(long additionalRows, long offset, int requests) {
        long least = Math.max(1 + additionalRows, offset);
        boolean onlyRows = bytes == 0;
        long wanted = hasRows ? Math.max(Math.max(1, rows) + additionalRows, offset) : onlyRows ? least : 0;
        long doubled = Math.min(bytes << Math.min(requests, MAX_DOUBLINGS), MAX_REPLY_BYTES);
        ReadLimits request = new ReadLimits(wanted, hasBytes && !onlyRows ? doubled : 0);
        request.minRows = least;
        return request;
    }
}
