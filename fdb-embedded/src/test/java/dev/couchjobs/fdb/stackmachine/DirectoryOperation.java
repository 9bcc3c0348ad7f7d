package dev.couchjobs.fdb.stackmachine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.directory.DirectoryLayer;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.contract.EngineFutures;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The operations of the specification's chapter on directories. */
enum DirectoryOperation implements Operation {
    DIRECTORY_CREATE_SUBSPACE(Creates.YES, (machine, variant) -> {
        Tuple path = machine.stack().popTuple();
        machine.directoryList().add(new Subspace(path, machine.stack().popBytes()));
    }),
    DIRECTORY_CREATE_LAYER(Creates.YES, (machine, variant) -> {
        Subspace nodes = machine.directoryList().subspaceAt(machine.stack().popInt());
        Subspace contents = machine.directoryList().subspaceAt(machine.stack().popInt());
        boolean manualPrefixes = machine.stack().popFlag();
        boolean possible = nodes != null && contents != null;
        machine.directoryList().add(possible ? new DirectoryLayer(nodes, contents, manualPrefixes) : null);
    }),
    DIRECTORY_CREATE_OR_OPEN(Creates.YES, (machine, variant) -> {
        List<String> path = popPath(machine);
        byte[] layer = popLayer(machine);
        add(machine, machine.directoryList().directory().createOrOpen(machine.context(variant), path, layer));
    }),
    DIRECTORY_CREATE(Creates.YES, (machine, variant) -> {
        List<String> path = popPath(machine);
        byte[] layer = popLayer(machine);
        byte[] prefix = (byte[]) machine.stack().pop();
        add(machine, create(machine, variant, path, layer, prefix));
    }),
    DIRECTORY_OPEN(Creates.YES, (machine, variant) -> {
        List<String> path = popPath(machine);
        byte[] layer = popLayer(machine);
        add(machine, machine.directoryList().directory().open(machine.readContext(variant), path, layer));
    }),
    DIRECTORY_CHANGE(
            Creates.NO,
            (machine, variant) -> machine.directoryList().change(machine.stack().popInt())),
    DIRECTORY_SET_ERROR_INDEX(
            Creates.NO,
            (machine, variant) ->
                    machine.directoryList().setErrorIndex(machine.stack().popInt())),
    DIRECTORY_MOVE(Creates.YES, (machine, variant) -> {
        List<String> from = popPath(machine);
        List<String> to = popPath(machine);
        add(machine, machine.directoryList().directory().move(machine.context(variant), from, to));
    }),
    DIRECTORY_MOVE_TO(
            Creates.YES,
            (machine, variant) -> add(
                    machine, machine.directoryList().directory().moveTo(machine.context(variant), popPath(machine)))),
    DIRECTORY_REMOVE(
            Creates.NO,
            (machine, variant) -> EngineFutures.await(
                    machine.directoryList().directory().remove(machine.context(variant), popPathIfAny(machine)))),
    DIRECTORY_REMOVE_IF_EXISTS(
            Creates.NO,
            (machine, variant) -> EngineFutures.await(machine.directoryList()
                    .directory()
                    .removeIfExists(machine.context(variant), popPathIfAny(machine)))),
    DIRECTORY_LIST(Creates.NO, (machine, variant) -> {
        List<String> path = popPathIfAny(machine);
        List<String> names =
                EngineFutures.await(machine.directoryList().directory().list(machine.readContext(variant), path));
        machine.push(Tuple.fromList(names).pack());
    }),
    DIRECTORY_EXISTS(Creates.NO, (machine, variant) -> {
        List<String> path = popPathIfAny(machine);
        boolean exists =
                EngineFutures.await(machine.directoryList().directory().exists(machine.readContext(variant), path));
        machine.push(exists ? 1L : 0L);
    }),
    DIRECTORY_PACK_KEY(
            Creates.NO,
            (machine, variant) -> machine.push(
                    machine.directoryList().subspace().pack(machine.stack().popTuple()))),
    DIRECTORY_UNPACK_KEY(
            Creates.NO,
            (machine, variant) -> machine.directoryList()
                    .subspace()
                    .unpack(machine.stack().popBytes())
                    .forEach(machine::push)),
    DIRECTORY_RANGE(Creates.NO, (machine, variant) -> {
        Range range = machine.directoryList().subspace().range(machine.stack().popTuple());
        machine.push(range.begin);
        machine.push(range.end);
    }),
    DIRECTORY_CONTAINS(Creates.NO, (machine, variant) -> {
        boolean contains =
                machine.directoryList().subspace().contains(machine.stack().popBytes());
        machine.push(contains ? 1L : 0L);
    }),
    DIRECTORY_OPEN_SUBSPACE(
            Creates.YES,
            (machine, variant) -> machine.directoryList()
                    .add(machine.directoryList()
                            .subspace()
                            .subspace(machine.stack().popTuple()))),
    DIRECTORY_LOG_SUBSPACE(Creates.NO, (machine, variant) -> {
        byte[] key =
                Tuple.from(machine.directoryList().index()).pack(machine.stack().popBytes());
        machine.transaction().set(key, machine.directoryList().subspace().getKey());
    }),
    DIRECTORY_LOG_DIRECTORY(Creates.NO, (machine, variant) -> log(machine)),
    DIRECTORY_STRIP_PREFIX(Creates.NO, (machine, variant) -> {
        byte[] key = machine.stack().popBytes();
        byte[] prefix = machine.directoryList().subspace().getKey();
        if (!ByteArrayUtil.startsWith(key, prefix)) {
            throw new IllegalArgumentException("The key does not lie in the directory");
        }
        machine.push(Arrays.copyOfRange(key, prefix.length, key.length));
    });

    private enum Creates {
        YES,
        NO
    }

    private interface Action {
        void run(StackMachine machine, Variant variant);
    }

    private final Creates creates;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Action action;

    DirectoryOperation(Creates creates, Action action) {
        this.creates = creates;
        this.action = action;
    }

    /** Later instructions count on there being an entry for each directory that was to be created. */
    @Override
    public void run(StackMachine machine, Variant variant) {
        try {
            action.run(machine, variant);
        } catch (RuntimeException error) {
            machine.push("DIRECTORY_ERROR".getBytes(US_ASCII));
            if (creates == Creates.YES) {
                machine.directoryList().add(null);
            }
        }
    }

    private static void add(StackMachine machine, CompletableFuture<? extends Subspace> directory) {
        machine.directoryList().add(EngineFutures.await(directory));
    }

    @SuppressWarnings("NullAway") // the interface does not say that a prefix of null asks for any
    private static CompletableFuture<? extends Subspace> create(
            StackMachine machine, Variant variant, List<String> path, byte[] layer, byte @Nullable [] prefix) {
        return machine.directoryList().directory().create(machine.context(variant), path, layer, prefix);
    }

    private static List<String> popPath(StackMachine machine) {
        return machine.stack().popItems().stream().map(String.class::cast).toList();
    }

    private static List<String> popPathIfAny(StackMachine machine) {
        return machine.stack().popFlag() ? popPath(machine) : List.of();
    }

    private static byte[] popLayer(StackMachine machine) {
        byte[] layer = (byte[]) machine.stack().pop();
        return layer == null ? new byte[0] : layer;
    }

    private static void log(StackMachine machine) {
        Subspace log = new Subspace(
                Tuple.from(machine.directoryList().index()), machine.stack().popBytes());
        var directory = machine.directoryList().directory();
        Transaction tr = (Transaction) machine.readContext(Variant.TRANSACTION);
        boolean exists = EngineFutures.await(directory.exists(tr));
        List<String> children = exists ? EngineFutures.await(directory.list(tr)) : List.of();
        tr.set(log.pack("path"), Tuple.fromList(directory.getPath()).pack());
        tr.set(log.pack("layer"), Tuple.from((Object) directory.getLayer()).pack());
        tr.set(log.pack("exists"), Tuple.from(exists ? 1L : 0L).pack());
        tr.set(log.pack("children"), Tuple.fromList(children).pack());
    }
}
