package dev.couchjobs.bridge.testing;

import dev.couchjobs.bridge.internal.couch.ChangesFeed;
import dev.couchjobs.bridge.internal.couch.ChangesListener;
import dev.couchjobs.bridge.internal.couch.CouchDatabase;
import dev.couchjobs.bridge.internal.couch.Leaf;
import dev.couchjobs.bridge.internal.couch.StoredDocument;
import dev.couchjobs.bridge.internal.couch.WriteResult;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A client of a server. It repeats requests that are not answered. */
final class ModelConnection implements CouchDatabase {
    private final Endpoint endpoint;
    private final CouchNetwork network;
    private final ScheduledExecutorService client;
    private final Set<Call<?>> calls = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Set<ModelFeed> feeds = Collections.synchronizedSet(new LinkedHashSet<>());
    private volatile boolean closed;

    ModelConnection(Endpoint endpoint, CouchNetwork network, ScheduledExecutorService client) {
        this.endpoint = endpoint;
        this.network = network;
        this.client = client;
    }

    @Override
    public CompletableFuture<List<StoredDocument>> readSome(List<String> ids) {
        List<String> wanted = List.copyOf(ids);
        return call(new Request<>() {
            @Override
            public List<StoredDocument> doneBy(ModelCouchDatabase database) {
                int some = network.random().nextInt(4) > 0 ? wanted.size() : (wanted.size() + 1) / 2;
                return wanted.stream()
                        .limit(some)
                        .map(id -> copy(database.shown(id)))
                        .toList();
            }

            @Override
            public void partlyDoneBy(ModelCouchDatabase database) {}
        });
    }

    @Override
    public CompletableFuture<List<WriteResult>> write(List<ObjectNode> documents) {
        List<ObjectNode> sent = documents.stream().map(ObjectNode::deepCopy).toList();
        return call(new Request<>() {
            @Override
            public List<WriteResult> doneBy(ModelCouchDatabase database) {
                return sent.stream().map(database::write).toList();
            }

            @Override
            public void partlyDoneBy(ModelCouchDatabase database) {
                sent.stream().filter(document -> network.random().nextBoolean()).forEach(database::write);
            }
        });
    }

    /** A caller may change what it has read without an effect on the database. */
    private static StoredDocument copy(StoredDocument document) {
        List<Leaf> leaves = document.leaves().stream()
                .map(leaf ->
                        new Leaf(leaf.revision(), leaf.isDeleted(), leaf.body().deepCopy()))
                .toList();
        return new StoredDocument(document.id(), leaves);
    }

    private <T> CompletableFuture<T> call(Request<T> request) {
        Call<T> call = new Call<>(request, endpoint, network, client);
        calls.add(call);
        var unused = call.answer().whenComplete((answer, error) -> calls.remove(call));
        if (closed) {
            close();
        } else {
            network.execute(call::begin);
        }
        return call.answer();
    }

    @Override
    public ChangesFeed follow(@Nullable JsonNode since, ChangesListener listener) {
        ModelFeed feed = new ModelFeed(since, listener, endpoint, network, client);
        feeds.add(feed);
        if (closed) {
            close();
        } else {
            network.execute(feed::begin);
        }
        return feed;
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(feeds).forEach(ModelFeed::close);
        List.copyOf(calls).forEach(Call::giveUp);
    }
}
