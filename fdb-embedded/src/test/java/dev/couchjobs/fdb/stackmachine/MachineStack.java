package dev.couchjobs.fdb.stackmachine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.contract.EngineFutures;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The stack: each item knows which instruction pushed it, and may be a future until somebody looks at it. */
final class MachineStack {

    static final byte[] RESULT_NOT_PRESENT = "RESULT_NOT_PRESENT".getBytes(US_ASCII);

    /** What an instruction pushed. */
    record Item(int instruction, @Nullable Object value) {}

    private final List<Item> items = new ArrayList<>();
    private final Set<String> errors = new HashSet<>();

    void push(int instruction, @Nullable Object value) {
        items.add(new Item(instruction, value));
    }

    /** All errors that there have ever been. */
    Set<String> errors() {
        return errors;
    }

    /** The top item, taken off. */
    Item take() {
        if (items.isEmpty()) {
            throw new IllegalStateException("The stack is empty");
        }
        return items.remove(items.size() - 1);
    }

    void duplicate() {
        Item top = take();
        items.add(top);
        items.add(top);
    }

    void swap(int depth) {
        int top = items.size() - 1;
        Collections.swap(items, top, top - depth);
    }

    void clear() {
        items.clear();
    }

    /** Waits for the top item and leaves it where it is. */
    void settleTop() {
        Item top = take();
        items.add(new Item(top.instruction, settled(top.value)));
    }

    /** All items, the oldest first, waited for. */
    List<Item> settled() {
        items.replaceAll(item -> new Item(item.instruction, settled(item.value)));
        return List.copyOf(items);
    }

    @Nullable Object pop() {
        return settled(take().value);
    }

    byte[] popBytes() {
        return (byte[]) popPresent();
    }

    String popText() {
        return (String) popPresent();
    }

    BigInteger popInteger() {
        Object value = popPresent();
        return value instanceof BigInteger big ? big : BigInteger.valueOf((Long) value);
    }

    int popInt() {
        return popInteger().intValueExact();
    }

    boolean popFlag() {
        return popInt() != 0;
    }

    Object popPresent() {
        Object value = pop();
        if (value == null) {
            throw new IllegalStateException("The item is null");
        }
        return value;
    }

    /** As many items as the top one says, the top first. */
    List<@Nullable Object> popItems() {
        int count = popInt();
        List<@Nullable Object> popped = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            popped.add(pop());
        }
        return popped;
    }

    Tuple popTuple() {
        return Tuple.fromItems(popItems());
    }

    private @Nullable Object settled(@Nullable Object value) {
        if (!(value instanceof CompletableFuture<?> future)) {
            return value;
        }
        int code = EngineFutures.codeOf(future);
        if (code != 0) {
            return error(Integer.toString(code));
        }
        Object result = future.join();
        return result == null ? RESULT_NOT_PRESENT : result;
    }

    /** An error as the specification wants it pushed. */
    byte[] error(String code) {
        errors.add(code);
        return Tuple.from("ERROR".getBytes(US_ASCII), code.getBytes(US_ASCII)).pack();
    }
}
