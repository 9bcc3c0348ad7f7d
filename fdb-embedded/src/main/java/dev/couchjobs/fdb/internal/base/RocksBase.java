package dev.couchjobs.fdb.internal.base;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.couchjobs.fdb.embedded.CorruptStorageException;
import dev.couchjobs.fdb.embedded.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.Range;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;

/** A {@link Base} in RocksDB, without RocksDB's own log. */
public final class RocksBase implements Base {
    private final RocksResources resources;
    private final RocksDB db;
    private final DurableMark mark;
    private final StorageErrors errors;
    private final RocksReads reads;
    private volatile long version;

    private RocksBase(RocksResources resources, RocksDB db, DurableMark mark, StorageErrors errors)
            throws RocksDBException {
        this.resources = resources;
        this.db = db;
        this.mark = mark;
        this.errors = errors;
        byte[] stored = db.get(ReservedKeys.VERSION);
        this.version = stored == null ? 0 : ReservedKeys.decode(stored);
        if (version < mark.version()) {
            throw errors.corrupt("it goes up to version " + version + ", but " + mark.version() + " was durable", null);
        }
        this.reads = new RocksReads(db, resources.read, errors);
    }

    /**
     * Opens the store in a directory of its own, and makes both if they are not there.
     *
     * @param directory where the files are
     * @param settings how much memory to take
     * @return the store, to be closed by the caller
     * @throws CorruptStorageException if files are missing or damaged
     * @throws StorageException if the directory cannot be used, is in use, or RocksDB's native library does not load
     */
    public static RocksBase open(Path directory, BaseSettings settings) {
        NativeLibrary.load(directory);
        StorageErrors errors = new StorageErrors(directory);
        DurableMark mark = prepare(directory, errors);
        RocksResources resources = new RocksResources(settings);
        resources.options.setCreateIfMissing(mark.version() == 0);
        RocksDB db = null;
        try {
            db = RocksDB.open(resources.options, directory.toString());
            return new RocksBase(resources, db, mark, errors);
        } catch (RocksDBException e) {
            free(db, resources);
            throw errors.when("opening it", e);
        } catch (RuntimeException e) {
            free(db, resources);
            throw e;
        }
    }

    private static DurableMark prepare(Path directory, StorageErrors errors) {
        try {
            Files.createDirectories(directory);
            DurableMark mark = DurableMark.open(errors);
            if (mark.version() > 0) {
                requireManifest(directory, errors);
            }
            return mark;
        } catch (IOException e) {
            throw errors.when("opening it", e);
        }
    }

    /** RocksDB itself reports these two like any file that cannot be read. */
    private static void requireManifest(Path directory, StorageErrors errors) throws IOException {
        Path pointer = directory.resolve("CURRENT");
        if (!Files.exists(pointer)) {
            throw errors.corrupt("its file CURRENT is missing", null);
        }
        String manifest = Files.readString(pointer, ISO_8859_1).strip();
        if (manifest.isEmpty() || !Files.isRegularFile(directory.resolve(manifest))) {
            throw errors.corrupt("its manifest is missing; CURRENT says '" + manifest + "'", null);
        }
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return reads.get(key);
    }

    @Override
    public BaseCursor ascending(byte[] from) {
        return reads.open(true, from);
    }

    @Override
    public BaseCursor descending(byte[] before) {
        return reads.open(false, before);
    }

    @Override
    public void apply(long version, List<BaseMutation> mutations) {
        if (version <= this.version) {
            throw new IllegalArgumentException("Version " + version + " does not follow " + this.version);
        }
        Generation before = reads.enter();
        try (WriteBatch batch = new WriteBatch()) {
            CoalescedMutations net =
                    new CoalescedMutations(key -> db.keyMayExist(before.options(), key, null), this::ascending);
            mutations.forEach(net::add);
            net.writeTo(batch);
            batch.put(ReservedKeys.VERSION, ReservedKeys.encode(version));
            db.write(resources.write, batch);
            // In this order: who has seen the version reads at least that much.
            reads.renew(net.gapsAfter(before.gaps()));
            this.version = version;
        } catch (RocksDBException e) {
            throw errors.when("writing", e);
        } finally {
            before.references.leave();
        }
    }

    @Override
    public long makeDurable() {
        Generation flushed = reads.enter();
        try {
            long applied = version;
            db.flush(resources.flush);
            mark.advance(applied);
            // Idle iterators would keep the written-out buffer in memory.
            reads.renew(flushed.gaps());
            return applied;
        } catch (RocksDBException e) {
            throw errors.when("flushing", e);
        } finally {
            flushed.references.leave();
        }
    }

    /** Links the files if the directory is on the same file system: RocksDB never changes a file of keys. */
    @Override
    public void copyTo(Path directory) {
        Generation copied = reads.enter();
        try (Checkpoint checkpoint = Checkpoint.create(db)) {
            checkpoint.createCheckpoint(directory.toString());
            DurableMark.create(new StorageErrors(directory), version);
        } catch (RocksDBException e) {
            throw errors.when("copying it to " + directory, e);
        } catch (IOException e) {
            throw errors.when("copying it to " + directory, e);
        } finally {
            copied.references.leave();
        }
    }

    @Override
    public long estimatedBytes(byte[] begin, byte[] end) {
        Generation generation = reads.enter();
        try (Slice from = new Slice(begin);
                Slice to = new Slice(end)) {
            return db.getApproximateSizes(
                            List.of(new Range(from, to)),
                            SizeApproximationFlag.INCLUDE_FILES,
                            SizeApproximationFlag.INCLUDE_MEMTABLES)[0];
        } finally {
            generation.references.leave();
        }
    }

    @Override
    public void close() {
        if (reads.close()) {
            free(db, resources);
        }
    }

    /**
     * RocksDB stays open: when it closes it may write a manifest, by name, so its memory is given up with the
     * directory.
     */
    @Override
    public void abandon() {
        if (reads.close()) {
            try {
                db.disableFileDeletions();
                db.cancelAllBackgroundWork(true);
            } catch (RocksDBException e) {
                throw errors.when("abandoning it", e);
            }
        }
    }

    private static void free(@Nullable RocksDB db, RocksResources resources) {
        if (db != null) {
            db.close();
        }
        resources.close();
    }
}
