package dev.couchjobs.fdb.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyncEventTest {
    private static final int COMMITS = 3;

    @TempDir
    Path temporary;

    @Test
    void aFlightRecordingHasTheSyncOfEachCommit() throws IOException {
        Path file = temporary.resolve("recording.jfr");
        byte[] key = "a".getBytes(StandardCharsets.UTF_8);
        try (Database database = EmbeddedDatabase.open(temporary.resolve("db"));
                Recording recording = new Recording()) {
            recording.enable("dev.couchjobs.fdb.FileSync");
            recording.start();
            for (int commit = 0; commit < COMMITS; commit++) {
                database.run(tr -> {
                    tr.set(key, key);
                    return key;
                });
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> syncs = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getString("path").endsWith(".log"))
                .toList();
        assertThat(syncs).hasSize(COMMITS);
    }
}
