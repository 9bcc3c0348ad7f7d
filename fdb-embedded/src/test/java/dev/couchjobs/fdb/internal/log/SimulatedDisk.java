package dev.couchjobs.fdb.internal.log;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that fails on demand: at a given operation, where every call that changes something counts as one.
 * After a crash, files that were open are dead; after a loss of power any part of what was not synced is gone, names
 * included.
 */
final class SimulatedDisk implements LogFiles {
    /** What goes wrong. */
    enum Fault {
        /** Everything goes off in the middle of the operation. */
        POWER_LOSS,
        /** The process dies in the middle of the operation; the system lives. */
        KILL,
        /** The operation fails, and until there is space again so does everything that needs some. */
        NO_SPACE,
        /** The operation fails, once; a sync that fails drops what it should have written. */
        ERROR
    }

    /** The process is no more. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private record Entry(@Nullable SimulatedFile file) {}

    private final RandomGenerator random;
    private final Map<Path, Entry> entries = new TreeMap<>();

    /** For each name that changed since its directory was synced, what it stood for, oldest first; null for nothing. */
    private final Map<Path, List<@Nullable Entry>> unsynced = new TreeMap<>();

    private final Set<SimulatedFile> unusable = new HashSet<>();
    private int operations;
    private int failAt = -1;
    private Fault fault = Fault.ERROR;
    private boolean full;
    private boolean shortWrites;
    private boolean readOnly;
    private boolean down;
    private int life;

    SimulatedDisk(RandomGenerator random) {
        this.random = random;
    }

    /** A disk with a directory of that name. */
    static SimulatedDisk with(Path directory, RandomGenerator random) {
        SimulatedDisk disk = new SimulatedDisk(random);
        disk.entries.put(directory, new Entry(null));
        return disk;
    }

    int operations() {
        return operations;
    }

    /** Lets an operation fail, counted from now. */
    void failAt(int operation, Fault what) {
        failAt = operations + operation;
        fault = what;
    }

    void fill() {
        full = true;
    }

    void freeSpace() {
        full = false;
        failAt = -1;
    }

    void makeReadOnly() {
        readOnly = true;
    }

    void allowShortWrites() {
        shortWrites = true;
    }

    boolean hasCrashed() {
        return down;
    }

    /** Ends the process, if it is not dead yet, and starts over. */
    void restart() {
        life++;
        unusable.clear();
        boolean lost = down && fault == Fault.POWER_LOSS;
        down = false;
        full = false;
        failAt = -1;
        if (lost) {
            losePower();
        }
    }

    void losePower() {
        life++;
        unsynced.forEach((path, states) -> {
            Entry state = states.get(random.nextInt(states.size()));
            if (state == null) {
                entries.remove(path);
            } else {
                entries.put(path, state);
            }
        });
        unsynced.clear();
        unusable.clear();
        entries.keySet().removeIf(path -> isLost(path.getParent()));
        entries.values().stream()
                .map(Entry::file)
                .filter(Objects::nonNull)
                .distinct()
                .forEach(file -> file.losePower(random));
    }

    private boolean isLost(@Nullable Path directory) {
        return directory != null && directory.getNameCount() > 0 && !entries.containsKey(directory);
    }

    Map<Path, byte[]> contents() {
        Map<Path, byte[]> contents = new TreeMap<>();
        entries.forEach((path, entry) -> contents.put(
                path, entry.file == null ? new byte[0] : entry.file.current().clone()));
        return contents;
    }

    /** Of the names and the contents of all files. */
    String fingerprint() {
        StringBuilder text = new StringBuilder();
        contents().forEach((path, bytes) -> {
            CRC32C checksum = new CRC32C();
            checksum.update(bytes);
            text.append(path).append(' ').append(checksum.getValue());
        });
        return text.toString();
    }

    void replace(Path path, byte[] bytes) {
        fileAt(path).replace(bytes);
    }

    void remove(Path path) {
        entries.remove(path);
    }

    private SimulatedFile fileAt(Path path) {
        Entry entry = entries.get(path);
        return Objects.requireNonNull(entry == null ? null : entry.file, path::toString);
    }

    /** Counts an operation; whether it is the one in whose middle the process ends. */
    private boolean begins(Path path) throws IOException {
        if (down) {
            throw new Crash();
        }
        boolean fails = operations++ == failAt;
        if (fails && fault == Fault.NO_SPACE) {
            full = true;
            needsSpace(path);
        }
        if (fails && fault == Fault.ERROR) {
            throw new IOException(path + ": Input/output error");
        }
        down = fails && (fault == Fault.POWER_LOSS || fault == Fault.KILL);
        return down;
    }

    private void needsSpace(Path path) throws IOException {
        if (full) {
            throw new IOException(path + ": No space left on device");
        }
    }

    private static void end(boolean crashed) {
        if (crashed) {
            throw new Crash();
        }
    }

    private void set(Path path, @Nullable Entry entry) {
        List<@Nullable Entry> states = unsynced.computeIfAbsent(path, ignored -> new ArrayList<>());
        if (states.isEmpty()) {
            states.add(entries.get(path));
        }
        states.add(entry);
        if (entry == null) {
            entries.remove(path);
        } else {
            entries.put(path, entry);
        }
    }

    @Override
    public boolean exists(Path path) {
        return entries.containsKey(path);
    }

    @Override
    public boolean isDirectory(Path path) {
        Entry entry = entries.get(path);
        return entry != null && entry.file == null;
    }

    @Override
    public boolean isWritable(Path directory) {
        return !readOnly;
    }

    @Override
    public void createDirectory(Path path) throws IOException {
        boolean crash = begins(path);
        needsSpace(path);
        set(path, new Entry(null));
        end(crash);
    }

    @Override
    public List<String> list(Path directory) {
        return entries.keySet().stream()
                .filter(path -> directory.equals(path.getParent()))
                .map(path -> path.getFileName().toString())
                .toList();
    }

    @Override
    public LogFile open(Path path) throws IOException {
        Entry entry = entries.get(path);
        if (entry == null || entry.file == null) {
            throw new FileNotFoundException(path.toString());
        }
        return new Handle(path, entry.file);
    }

    @Override
    public LogFile create(Path path) throws IOException {
        boolean crash = begins(path);
        needsSpace(path);
        SimulatedFile file = new SimulatedFile();
        set(path, new Entry(file));
        end(crash);
        return new Handle(path, file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        boolean crash = begins(from);
        set(to, Objects.requireNonNull(entries.get(from)));
        set(from, null);
        end(crash);
    }

    @Override
    public void delete(Path path) throws IOException {
        boolean crash = begins(path);
        set(path, null);
        end(crash);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        end(begins(directory));
        unsynced.keySet().removeIf(path -> directory.equals(path.getParent()));
    }

    @Override
    public Closeable lock(Path path) throws IOException {
        if (!exists(path)) {
            create(path).close();
        }
        return () -> {};
    }

    @Override
    public boolean isFull(Path path, IOException error) {
        return String.valueOf(error.getMessage()).contains("No space left");
    }

    private final class Handle implements LogFile {
        private final Path path;
        private final SimulatedFile file;
        private final int opened = life;
        private boolean closed;

        Handle(Path path, SimulatedFile file) {
            this.path = path;
            this.file = file;
        }

        private void requireOpen() {
            if (closed || opened != life) {
                throw new IllegalStateException(path + " is not open");
            }
            if (unusable.contains(file)) {
                throw new IllegalStateException(path + " is used after it could not be written");
            }
        }

        @Override
        public long size() {
            requireOpen();
            return file.current().length;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            requireOpen();
            byte[] bytes = file.current();
            int count = (int) Math.min(target.remaining(), bytes.length - position);
            if (count <= 0) {
                return -1;
            }
            target.put(bytes, (int) position, count);
            return count;
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            requireOpen();
            boolean crash = beginsWriting();
            int count = source.remaining();
            if (position + count > file.current().length) {
                needsSpace(path);
            }
            if (crash && fault == Fault.KILL) {
                count = beforeDeath(position, count);
            } else if (shortWrites && count > 0) {
                count = random.nextInt(1, count + 1);
            }
            byte[] bytes = new byte[count];
            source.get(bytes);
            file.write((int) position, bytes);
            end(crash);
            return count;
        }

        /**
         * A process dies between two pages; here between any two bytes, but not within what is written to one sector.
         */
        private int beforeDeath(long position, int count) {
            boolean oneSector = position / SegmentLayout.SECTOR == (position + count - 1) / SegmentLayout.SECTOR;
            return oneSector ? count * random.nextInt(2) : random.nextInt(count + 1);
        }

        @Override
        public void force() throws IOException {
            requireOpen();
            try {
                end(begins(path));
            } catch (IOException e) {
                file.failSync();
                unusable.add(file);
                throw e;
            }
            file.sync();
        }

        private boolean beginsWriting() throws IOException {
            try {
                return begins(path);
            } catch (IOException e) {
                unusable.add(file);
                throw e;
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Override
    public String toString() {
        return Arrays.toString(entries.keySet().toArray());
    }
}
