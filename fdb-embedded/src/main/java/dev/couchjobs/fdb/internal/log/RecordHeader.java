package dev.couchjobs.fdb.internal.log;

/**
 * What stands before every payload.
 *
 * @param previous the version of the record before, so that a gap is seen
 * @param syncedTo the place in this segment up to which everything was synced when this was written
 * @param zeroSectors how many whole sectors of the payload are zeros by nature, not because they were lost
 */
record RecordHeader(
        RecordKind kind, int length, long version, long previous, int syncedTo, int zeroSectors, int payloadChecksum) {}
