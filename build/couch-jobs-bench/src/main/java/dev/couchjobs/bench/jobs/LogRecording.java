package dev.couchjobs.bench.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Records what the logs of all databases in directories do. A segment that is made ahead of need is left out. */
final class LogRecording {
    private static final String SYNC = "dev.couchjobs.fdb.FileSync";
    private static final String WRITE = "jdk.FileWrite";
    private static final String SEGMENT = ".log";

    private final Recording recording = new Recording();

    /**
     * What the logs have done.
     *
     * @param bytes the number of bytes written to them
     * @param syncs how often one of them was synced
     */
    record Work(long bytes, long syncs) {}

    private LogRecording() {}

    static LogRecording start() {
        LogRecording log = new LogRecording();
        log.recording.enable(SYNC).withThreshold(Duration.ZERO);
        log.recording.enable(WRITE).withThreshold(Duration.ZERO).withoutStackTrace();
        log.recording.start();
        return log;
    }

    Work stop() {
        try (recording) {
            recording.stop();
            Path file = Files.createTempFile("bench-log-", ".jfr");
            try {
                recording.dump(file);
                return read(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Work read(Path file) throws IOException {
        long bytes = 0;
        long syncs = 0;
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            String name = event.getEventType().getName();
            if (name.equals(WRITE) && isSegment(event)) {
                bytes += event.getLong("bytesWritten");
            } else if (name.equals(SYNC) && isSegment(event)) {
                syncs++;
            }
        }
        return new Work(bytes, syncs);
    }

    private static boolean isSegment(RecordedEvent event) {
        return String.valueOf(event.getString("path")).endsWith(SEGMENT);
    }
}
