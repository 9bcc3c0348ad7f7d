package dev.couchjobs.fdb.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A log on a simulated disk, and what is known about it: what may be in it, and what has to be. */
final class LogHistory {
    static final Path DIRECTORY = Path.of("/log");
    static final int SEGMENT = 1 << 12;

    private record Appended(long version, String text) {}

    private final Random random;
    private final SimulatedDisk disk;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<Appended> appended = new ArrayList<>();
    private long acknowledged;
    private long truncated;
    private @Nullable CommitLog log;

    LogHistory(long seed) {
        random = new Random(seed);
        disk = SimulatedDisk.with(DIRECTORY, random);
        LogActions.quietly(() -> CommitLog.create(DIRECTORY, disk, SEGMENT));
    }

    SimulatedDisk disk() {
        return disk;
    }

    boolean isOpen() {
        return log != null;
    }

    /** Whether a failure was one after which the log goes on. */
    boolean isUsable() {
        return log != null && log.isUsable();
    }

    /** How many records there are since the beginning. */
    int size() {
        return appended.size();
    }

    private CommitLog log() {
        return Objects.requireNonNull(log);
    }

    /** Opens it, and sees that it has everything that was acknowledged and nothing that was not appended. */
    void open() {
        Records records = new Records();
        CommitLog opened = CommitLog.open(DIRECTORY, truncated, disk, SEGMENT, tasks::add, records);
        log = opened;
        int end = 0;
        while (end < appended.size() && appended.get(end).version <= opened.lastVersion()) {
            end++;
        }
        assertThat(opened.lastVersion()).isGreaterThanOrEqualTo(acknowledged);
        List<String> prefix =
                appended.subList(0, end).stream().map(Appended::text).toList();
        assertThat(prefix).endsWith(records.list().toArray(new String[0]));
        long needed = appended.subList(0, end).stream()
                .filter(record -> record.version > truncated)
                .count();
        assertThat(records.list()).hasSizeGreaterThanOrEqualTo((int) needed);
        appended.subList(end, appended.size()).clear();
        acknowledged = opened.lastVersion();
    }

    void append(int length) {
        long version = log().lastVersion() + 1 + random.nextInt(3);
        byte[] payload = payload(length);
        appended.add(new Appended(version, Records.text(version, payload)));
        try {
            log().append(version, ByteBuffer.wrap(payload));
        } catch (StorageException e) {
            if (log().isUsable()) {
                appended.remove(appended.size() - 1);
            }
            throw e;
        }
    }

    /** Zeros are what the log has to tell from what is lost, so there are many. */
    private byte[] payload(int length) {
        byte[] payload = new byte[length];
        int runs = random.nextInt(4);
        for (int run = 0; run < runs && length > 0; run++) {
            byte value = (byte) random.nextInt();
            int start = random.nextInt(length);
            int end = start + random.nextInt(length - start + 1);
            for (int i = start; i < end; i++) {
                payload[i] = value;
            }
        }
        return payload;
    }

    void sync() {
        long last = log().lastVersion();
        log().sync();
        acknowledged = last;
    }

    void truncate() {
        long version = acknowledged;
        long before = log().lastVersion();
        truncated = Math.max(truncated, version - random.nextInt(3));
        log().truncate(truncated);
        acknowledged = before;
    }

    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    void close() {
        CommitLog closing = log();
        log = null;
        tasks.clear();
        long last = closing.lastVersion();
        boolean usable = closing.isUsable();
        closing.close();
        if (usable) {
            acknowledged = last;
        }
    }

    /** The process ends without a word; what the disk loses by it is the disk's matter. */
    void crash() {
        log = null;
        tasks.clear();
        disk.restart();
    }
}
