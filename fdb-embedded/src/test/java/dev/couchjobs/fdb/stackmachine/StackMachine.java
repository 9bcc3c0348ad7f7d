package dev.couchjobs.fdb.stackmachine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.fdb.contract.EngineFutures;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The state of the stack machine while it runs one program. It is used by one thread, and never leaves anything under
 * way while it does something that could make a difference to it, so that a program has one outcome.
 */
final class StackMachine {

    private final TestedDatabase database;
    private final MachineStack stack = new MachineStack();
    private final Map<String, NamedTransaction> transactions = new HashMap<>();
    private final DirectoryList directoryList = new DirectoryList();
    private final List<CompletableFuture<?>> underway = new ArrayList<>();
    private final List<byte[]> stamps = new ArrayList<>();

    private String current = "";
    private @Nullable Long lastVersion;
    private int instruction;
    private boolean selectorsMeetStamps;

    StackMachine(TestedDatabase database) {
        this.database = database;
    }

    /** Runs the program; what is asked for afterwards is about it. */
    void run(Program program) {
        selectorsMeetStamps = program.selectorsMeetStamps();
        for (InstructionGroup group : program.groups()) {
            group.instructions().forEach(this::run);
        }
        settle();
    }

    private void run(Instruction next) {
        try {
            if (next.operation() == DataOperation.PUSH) {
                push(next.item());
            } else {
                next.operation().run(this, next.variant());
            }
        } catch (RuntimeException error) {
            push(stack.error(nameOf(error)));
        }
        instruction++;
    }

    /** FoundationDB's code; for all that is not its business, what was thrown. */
    private static String nameOf(RuntimeException error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof FDBException known) {
                return Integer.toString(known.getCode());
            }
        }
        return error.getClass().getSimpleName();
    }

    MachineStack stack() {
        return stack;
    }

    DirectoryList directoryList() {
        return directoryList;
    }

    Database database() {
        return database.database();
    }

    void push(@Nullable Object value) {
        stack.push(instruction, value);
    }

    void pushAscii(String text) {
        push(text.getBytes(ISO_8859_1));
    }

    NamedTransaction current() {
        return transactions.computeIfAbsent(current, name -> new NamedTransaction(database()));
    }

    Transaction transaction() {
        return current().transaction();
    }

    boolean areSelectorsComparable() {
        return selectorsMeetStamps || current().areSelectorsComparable();
    }

    void newTransaction() {
        settle();
        current().replace(database().createTransaction());
    }

    void useTransaction(byte[] name) {
        settle();
        current = new String(name, ISO_8859_1);
    }

    long lastVersion() {
        if (lastVersion == null) {
            throw new IllegalStateException("No version has been seen");
        }
        return lastVersion;
    }

    void seeVersion(long version) {
        lastVersion = version;
    }

    /** For an operation that reads: the future may be pushed. */
    <T> CompletableFuture<T> read(Variant variant, Function<ReadTransaction, CompletableFuture<T>> read) {
        CompletableFuture<T> future = switch (variant) {
            case TRANSACTION -> read.apply(current().reading());
            case SNAPSHOT -> read.apply(current().reading().snapshot());
            case DATABASE -> {
                settle();
                yield database().readAsync(read);
            }
        };
        underway.add(future);
        return future;
    }

    /** For an operation that writes. */
    void write(Variant variant, Consumer<Transaction> write) {
        if (variant == Variant.DATABASE) {
            settle();
            CompletableFuture<byte[]> stamp = database().run(tr -> {
                write.accept(tr);
                return tr.getVersionstamp();
            });
            see(stamp);
            push(MachineStack.RESULT_NOT_PRESENT);
        } else {
            write.accept(transaction());
        }
    }

    CompletableFuture<Void> commit() {
        settle();
        CompletableFuture<byte[]> stamp = transaction().getVersionstamp();
        CompletableFuture<Void> commit = transaction().commit();
        underway.add(commit.thenRun(() -> see(stamp)));
        return commit;
    }

    /** Waits for the stamp of what has been committed; there is none if that was nothing. */
    private void see(CompletableFuture<byte[]> stamp) {
        if (EngineFutures.codeOf(stamp) == 0) {
            stamps.add(stamp.join());
        }
    }

    /** For the directory layer, which takes what it is given. */
    TransactionContext context(Variant variant) {
        if (variant == Variant.DATABASE) {
            settle();
            return database();
        }
        return transaction();
    }

    ReadTransactionContext readContext(Variant variant) {
        return switch (variant) {
            case TRANSACTION -> current().reading();
            case SNAPSHOT -> current().reading().snapshot();
            case DATABASE -> context(variant);
        };
    }

    /** Waits for all that has been asked for. */
    void settle() {
        underway.forEach(EngineFutures::codeOf);
        underway.clear();
    }

    void reopen() {
        close();
        lastVersion = null;
        database.reopen();
    }

    /** Ends the transactions. */
    void close() {
        settle();
        transactions.values().forEach(NamedTransaction::close);
        transactions.clear();
    }

    /** The stamps of everything that this machine has committed. */
    List<byte[]> stamps() {
        return stamps;
    }
}
