package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.versions.Edit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An edit of an overlay. Collects the mutations for the log and the base. */
public final class LayeredEdit implements Edit {
    private final LayeredContents before;
    private final long version;
    private final List<BaseMutation> mutations = new ArrayList<>();
    private Overlay overlay;
    private Object owner = new Object();

    public LayeredEdit(LayeredContents before, long version) {
        this.before = before;
        this.version = version;
        this.overlay = before.overlay();
        KeyRange gap = before.hint().take(overlay);
        if (gap != null) {
            clear(gap.begin(), gap.end());
        }
    }

    @Override
    public List<BaseMutation> mutations() {
        return mutations;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return before.under(overlay).get(key);
    }

    @Override
    public void set(byte[] key, byte[] value) {
        overlay = overlay.set(key, value, owner);
        mutations.add(BaseMutation.put(key, value));
    }

    @Override
    public void setAll(List<byte[]> keys, List<byte[]> values) {
        overlay = overlay.setAll(keys, values, owner);
        for (int i = 0; i < keys.size(); i++) {
            mutations.add(BaseMutation.put(keys.get(i), values.get(i)));
        }
    }

    @Override
    public void clear(byte[] begin, byte[] end) {
        if (Bytes.less(begin, end)) {
            overlay = overlay.clear(begin, end, version, owner);
            mutations.add(BaseMutation.clear(begin, end));
        }
    }

    @Override
    public void clear(byte[] key) {
        overlay = overlay.clear(key, version, owner);
        mutations.add(BaseMutation.remove(key));
    }

    @Override
    public LayeredContents contents() {
        owner = new Object(); // keeps the returned contents valid
        return before.under(overlay);
    }
}
