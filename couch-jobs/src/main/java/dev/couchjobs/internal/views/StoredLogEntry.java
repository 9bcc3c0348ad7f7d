package dev.couchjobs.internal.views;

import dev.couchjobs.LogEntry;
import dev.couchjobs.internal.history.JobLog;
import java.time.Instant;

/** An entry of a log, which decodes what was written when asked. */
public record StoredLogEntry(String typeName, String jobId, JobLog.Stored stored, PayloadCodec codec)
        implements LogEntry {
    @Override
    public long number() {
        return stored.number();
    }

    @Override
    public long claim() {
        return stored.claim();
    }

    @Override
    public Instant at() {
        return Instant.ofEpochMilli(stored.at());
    }

    @Override
    public Kind kind() {
        return stored.kind();
    }

    @Override
    public String json() {
        return codec.entryJson(typeName, jobId, stored.json());
    }

    @Override
    public <T> T as(Class<T> type) {
        return codec.decodeEntry(typeName, jobId, stored.json(), type);
    }

    @Override
    public String toString() {
        return "LogEntry[" + number() + " " + kind() + " of " + typeName + "/" + jobId + ": " + stored.json() + "]";
    }
}
