package dev.couchjobs.fdb.internal.base;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.rocksdb.AbstractNativeReference;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.IndexType;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.Slice;
import org.rocksdb.TablePropertiesCollectorFactory;
import org.rocksdb.WriteOptions;

/** How RocksDB is set up, and the native objects that say so; they outlive the database and are freed behind it. */
final class RocksResources implements AutoCloseable {
    private static final double BLOOM_BITS_PER_KEY = 10;
    private static final int CACHE_SHARD_BITS = 3;
    private static final double CACHE_KEPT_FOR_INDEXES = 0.5;
    private static final long KEPT_LOG_FILES = 2;
    private static final long LOG_FILE_BYTES = 1 << 20;

    /**
     * A file in which {@value} keys in a row are for the greater part removals is compacted at once. Queues are eaten
     * from their head, and who looks for the new head steps over every removal that is still there.
     */
    private static final long REMOVALS_WINDOW = 1024;

    private final Deque<AbstractNativeReference> owned = new ArrayDeque<>();
    final Options options;
    final WriteOptions write;
    final FlushOptions flush;
    final ReadOptions read;

    RocksResources(BaseSettings settings) {
        options = options(settings);
        write = own(new WriteOptions()).setDisableWAL(true);
        flush = own(new FlushOptions()).setWaitForFlush(true);
        read = own(new ReadOptions())
                .setVerifyChecksums(true)
                .setBackgroundPurgeOnIteratorCleanup(true)
                .setIterateUpperBound(own(new Slice(ReservedKeys.BEGIN)));
    }

    private Options options(BaseSettings settings) {
        Options chosen = own(new Options())
                .setCreateIfMissing(true)
                .setParanoidChecks(true)
                // All files are opened at once, so that a missing one is found now and not by some later read.
                .setMaxOpenFiles(-1)
                .setWriteBufferSize(settings.writeBufferBytes())
                .setMaxWriteBufferNumber(2)
                // What was applied since the last flush is in the engine's log.
                .setAvoidFlushDuringShutdown(true)
                .setMaxBackgroundJobs(2)
                // Tuples and JSON shrink to about half, for less time than reading the other half takes.
                .setCompressionType(CompressionType.LZ4_COMPRESSION)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(KEPT_LOG_FILES)
                .setMaxLogFileSize(LOG_FILE_BYTES)
                .setStatsDumpPeriodSec(0)
                .setStatsPersistPeriodSec(0);
        chosen.setTablePropertiesCollectorFactory(
                List.of(own(TablePropertiesCollectorFactory.NewCompactOnDeletionCollectorFactory(
                        REMOVALS_WINDOW, REMOVALS_WINDOW / 2, 0.5))));
        chosen.setTableFormatConfig(new BlockBasedTableConfig()
                .setBlockCache(
                        own(new LRUCache(settings.cacheBytes(), CACHE_SHARD_BITS, false, CACHE_KEPT_FOR_INDEXES)))
                .setCacheIndexAndFilterBlocks(true)
                .setCacheIndexAndFilterBlocksWithHighPriority(true)
                .setPinL0FilterAndIndexBlocksInCache(true)
                // In small parts: a whole index or filter takes a megabyte for each file, and would drive out the
                // others.
                .setIndexType(IndexType.kTwoLevelIndexSearch)
                .setPartitionFilters(true)
                .setPinTopLevelIndexAndFilter(true)
                .setFilterPolicy(own(new BloomFilter(BLOOM_BITS_PER_KEY))));
        return chosen;
    }

    private <T extends AbstractNativeReference> T own(T object) {
        owned.push(object);
        return object;
    }

    @Override
    public void close() {
        while (!owned.isEmpty()) {
            owned.pop().close();
        }
    }
}
