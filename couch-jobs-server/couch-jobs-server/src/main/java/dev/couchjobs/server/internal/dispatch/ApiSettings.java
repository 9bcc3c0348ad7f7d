package dev.couchjobs.server.internal.dispatch;

import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.bridge.BridgeNodes;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.topics.Topics;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** What the API is told by the program that runs it. Only a copy changes, before anything else has it. */
public final class ApiSettings {
    private static final int BODY_BYTES_MAX = 4 * 1024 * 1024;
    private static final int FEED_CLIENTS = 1_000;

    private Subspace rows;
    private Optional<Authenticator> authenticator;
    private Predicate<String> hidden = type -> false;
    private int bodyBytesMax = BODY_BYTES_MAX;
    private Optional<CallRate> rate = Optional.empty();
    private int feedClients = FEED_CLIENTS;
    private boolean isAudited = true;
    private Optional<Path> backups = Optional.empty();
    private String bridgePrefix = BridgeNodes.PREFIX;
    private Optional<Topics> topics = Optional.empty();

    /**
     * So many requests a second in the long run, and so many at once.
     */
    public record CallRate(int perSecond, int burst) {
        public CallRate {
            if (perSecond < 1 || burst < 1) {
                throw new IllegalArgumentException("A rate is at least one request a second, and one at once.");
            }
        }
    }

    private ApiSettings(Subspace rows, Optional<Authenticator> authenticator) {
        this.rows = rows;
        this.authenticator = authenticator;
    }

    public static ApiSettings standard(Subspace rows, Authenticator authenticator) {
        return new ApiSettings(rows, Optional.of(authenticator));
    }

    private ApiSettings with(Consumer<ApiSettings> change) {
        ApiSettings copy = new ApiSettings(rows, authenticator);
        copy.hidden = hidden;
        copy.bodyBytesMax = bodyBytesMax;
        copy.rate = rate;
        copy.feedClients = feedClients;
        copy.isAudited = isAudited;
        copy.backups = backups;
        copy.bridgePrefix = bridgePrefix;
        copy.topics = topics;
        change.accept(copy);
        return copy;
    }

    /** {@return the server's own subspace} */
    public Subspace rows() {
        return rows;
    }

    public ApiSettings withRows(Subspace newRows) {
        return with(copy -> copy.rows = newRows);
    }

    /** {@return who may do what; empty if callers need an access token} */
    public Optional<Authenticator> authenticator() {
        return authenticator;
    }

    public ApiSettings withAuthenticator(Optional<Authenticator> newAuthenticator) {
        return with(copy -> copy.authenticator = newAuthenticator);
    }

    /** {@return the types whose payloads callers with the role READ do not see} */
    public Predicate<String> hidden() {
        return hidden;
    }

    public ApiSettings withHidden(Predicate<String> newHidden) {
        return with(copy -> copy.hidden = newHidden);
    }

    /** {@return how large a body may be} */
    public int bodyBytesMax() {
        return bodyBytesMax;
    }

    public ApiSettings withBodyBytesMax(int newMax) {
        return with(copy -> copy.bodyBytesMax = newMax);
    }

    /** {@return how often a caller may call; empty for no limit} */
    public Optional<CallRate> rate() {
        return rate;
    }

    public ApiSettings withRate(CallRate newRate) {
        return with(copy -> copy.rate = Optional.of(newRate));
    }

    /** {@return how many callers may follow feeds at once} */
    public int feedClients() {
        return feedClients;
    }

    public ApiSettings withFeedClients(int newMax) {
        return with(copy -> copy.feedClients = newMax);
    }

    /** {@return whether writes are logged} */
    public boolean isAudited() {
        return isAudited;
    }

    public ApiSettings withAudit(boolean newAudit) {
        return with(copy -> copy.isAudited = newAudit);
    }

    /** {@return where backups are written; empty if there are none} */
    public Optional<Path> backups() {
        return backups;
    }

    public ApiSettings withBackups(Path newBackups) {
        return with(copy -> copy.backups = Optional.of(newBackups));
    }

    /** {@return where the nodes of a bridge are} */
    public String bridgePrefix() {
        return bridgePrefix;
    }

    public ApiSettings withBridgePrefix(String newPrefix) {
        return with(copy -> copy.bridgePrefix = newPrefix);
    }

    /** {@return the topics; empty for those at the root of the database} */
    public Optional<Topics> topics() {
        return topics;
    }

    public ApiSettings withTopics(Topics newTopics) {
        return with(copy -> copy.topics = Optional.of(newTopics));
    }
}
