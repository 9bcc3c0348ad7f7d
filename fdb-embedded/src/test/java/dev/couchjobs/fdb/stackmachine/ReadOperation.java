package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.async.AsyncIterable;
import com.apple.foundationdb.async.AsyncIterator;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.contract.EngineFutures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The specification's operations that read. */
enum ReadOperation implements Operation {
    GET {
        @Override
        public void run(StackMachine machine, Variant variant) {
            byte[] key = machine.stack().popBytes();
            machine.push(machine.read(variant, tr -> tr.get(key)));
        }
    },
    GET_KEY {
        @Override
        public void run(StackMachine machine, Variant variant) {
            KeySelector selector = popSelector(machine);
            byte[] prefix = machine.stack().popBytes();
            if (areSelectorsComparable(machine, variant)) {
                byte[] key = EngineFutures.await(machine.read(variant, tr -> tr.getKey(selector)));
                machine.push(within(prefix, key));
            }
        }
    },
    GET_RANGE {
        @Override
        public void run(StackMachine machine, Variant variant) {
            KeySelector begin = KeySelector.firstGreaterOrEqual(machine.stack().popBytes());
            KeySelector end = KeySelector.firstGreaterOrEqual(machine.stack().popBytes());
            readRange(machine, variant, begin, end, Options.pop(machine), new byte[0]);
        }
    },
    GET_RANGE_STARTS_WITH {
        @Override
        public void run(StackMachine machine, Variant variant) {
            Range range = Range.startsWith(machine.stack().popBytes());
            KeySelector begin = KeySelector.firstGreaterOrEqual(range.begin);
            KeySelector end = KeySelector.firstGreaterOrEqual(range.end);
            readRange(machine, variant, begin, end, Options.pop(machine), new byte[0]);
        }
    },
    GET_RANGE_SELECTOR {
        @Override
        public void run(StackMachine machine, Variant variant) {
            KeySelector begin = popSelector(machine);
            KeySelector end = popSelector(machine);
            Options options = Options.pop(machine);
            byte[] prefix = machine.stack().popBytes();
            if (areSelectorsComparable(machine, variant)) {
                readRange(machine, variant, begin, end, options, prefix);
            }
        }
    },
    GET_ESTIMATED_RANGE_SIZE {
        @Override
        public void run(StackMachine machine, Variant variant) {
            byte[] begin = machine.stack().popBytes();
            byte[] end = machine.stack().popBytes();
            EngineFutures.await(machine.read(variant, tr -> tr.getEstimatedRangeSizeBytes(begin, end)));
            machine.pushAscii("GOT_ESTIMATED_RANGE_SIZE");
        }
    },
    GET_RANGE_SPLIT_POINTS {
        @Override
        public void run(StackMachine machine, Variant variant) {
            byte[] begin = machine.stack().popBytes();
            byte[] end = machine.stack().popBytes();
            long chunk = machine.stack().popInt();
            EngineFutures.await(machine.read(variant, tr -> tr.getRangeSplitPoints(begin, end, chunk)));
            machine.pushAscii("GOT_RANGE_SPLIT_POINTS");
        }
    },
    GET_READ_VERSION {
        @Override
        public void run(StackMachine machine, Variant variant) {
            machine.seeVersion(EngineFutures.await(machine.read(variant, ReadTransaction::getReadVersion)));
            machine.pushAscii("GOT_READ_VERSION");
        }
    };

    private record Options(int limit, boolean reverse, StreamingMode mode) {

        static Options pop(StackMachine machine) {
            return new Options(
                    machine.stack().popInt(),
                    machine.stack().popFlag(),
                    mode(machine.stack().popInt()));
        }

        private static StreamingMode mode(int code) {
            for (StreamingMode mode : StreamingMode.values()) {
                if (mode.code() == code) {
                    return mode;
                }
            }
            throw new IllegalArgumentException("No streaming mode: " + code);
        }
    }

    private static KeySelector popSelector(StackMachine machine) {
        byte[] key = machine.stack().popBytes();
        boolean orEqual = machine.stack().popFlag();
        return new KeySelector(key, orEqual, machine.stack().popInt());
    }

    private static boolean areSelectorsComparable(StackMachine machine, Variant variant) {
        boolean comparable = variant == Variant.DATABASE || machine.areSelectorsComparable();
        if (!comparable) {
            machine.pushAscii("NOT_COMPARED");
        }
        return comparable;
    }

    /** Where the key lies, if it is none of those that the program knows of. */
    private static byte[] within(byte[] prefix, byte[] key) {
        if (ByteArrayUtil.startsWith(key, prefix)) {
            return key;
        }
        return ByteArrayUtil.compareUnsigned(key, prefix) < 0 ? prefix : ByteArrayUtil.strinc(prefix);
    }

    private static void readRange(
            StackMachine machine, Variant variant, KeySelector begin, KeySelector end, Options options, byte[] prefix) {
        Function<ReadTransaction, CompletableFuture<List<KeyValue>>> read =
                tr -> rows(tr.getRange(begin, end, options.limit, options.reverse, options.mode), options.mode);
        List<Object> keysAndValues = new ArrayList<>();
        for (KeyValue row : EngineFutures.await(machine.read(variant, read))) {
            if (ByteArrayUtil.startsWith(row.getKey(), prefix)) {
                keysAndValues.add(row.getKey());
                keysAndValues.add(row.getValue());
            }
        }
        machine.push(Tuple.fromItems(keysAndValues).pack());
    }

    /** A list asks for all at once whatever the mode; to iterate row by row is another way to read. */
    private static CompletableFuture<List<KeyValue>> rows(AsyncIterable<KeyValue> range, StreamingMode mode) {
        if (mode != StreamingMode.ITERATOR) {
            return range.asList();
        }
        List<KeyValue> rows = new ArrayList<>();
        AsyncIterator<KeyValue> iterator = range.iterator();
        while (iterator.hasNext()) {
            rows.add(iterator.next());
        }
        return CompletableFuture.completedFuture(rows);
    }
}
