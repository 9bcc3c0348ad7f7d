package dev.couchjobs.topics;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.Environment;
import dev.couchjobs.JsonCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Builds a {@link Topics} with settings other than the defaults. */
public final class TopicsBuilder {
    final Database database;
    Subspace subspace = new Subspace();

    @Nullable Environment environment;

    JsonCodec codec = JsonCodec.of(new JsonMapper());
    final List<TopicsListener> listeners = new ArrayList<>();

    TopicsBuilder(Database database) {
        this.database = Objects.requireNonNull(database, "database");
    }

    /**
     * Where the topics are kept; by default the root. Jobs may be under the same prefix.
     *
     * @param newSubspace the prefix of all keys
     * @return this builder
     */
    public TopicsBuilder subspace(Subspace newSubspace) {
        subspace = Objects.requireNonNull(newSubspace, "subspace");
        return this;
    }

    /**
     * Clock, timers and randomness; by default the system's.
     *
     * @param newEnvironment the environment
     * @return this builder
     */
    public TopicsBuilder environment(Environment newEnvironment) {
        environment = Objects.requireNonNull(newEnvironment, "environment");
        return this;
    }

    /**
     * Writes and reads values other than {@code byte[]}; by default a plain Jackson mapper does.
     *
     * @param newCodec the codec
     * @return this builder
     */
    public TopicsBuilder codec(JsonCodec newCodec) {
        codec = Objects.requireNonNull(newCodec, "codec");
        return this;
    }

    /**
     * Adds a listener, which receives what the instance does.
     *
     * @param listener the listener; several are called in the order in which they were added
     * @return this builder
     */
    public TopicsBuilder listener(TopicsListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /** {@return the topics} */
    public Topics build() {
        return new Topics(this);
    }
}
