package dev.couchjobs.server.internal.dispatch;

import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.bridge.BridgeNodes;
import dev.couchjobs.server.Authenticator;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What the API is told by the program that runs it.
 *
 * @param rows the server's own subspace
 * @param authenticator who may do what; empty if callers need an access token
 * @param hidden the types whose payloads callers with the role READ do not see
 * @param bodyBytesMax how large a body may be
 * @param rate how often a caller may call; empty for no limit
 * @param feedClients how many callers may follow feeds at once
 * @param isAudited whether writes are logged
 * @param backups where backups are written; empty if there are none
 * @param bridgePrefix where the nodes of a bridge are
 */
public record ApiSettings(
        Subspace rows,
        Optional<Authenticator> authenticator,
        Predicate<String> hidden,
        int bodyBytesMax,
        Optional<CallRate> rate,
        int feedClients,
        boolean isAudited,
        Optional<Path> backups,
        String bridgePrefix) {
    private static final int BODY_BYTES_MAX = 4 * 1024 * 1024;
    private static final int FEED_CLIENTS = 1_000;

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

    public static ApiSettings standard(Subspace rows, Authenticator authenticator) {
        return new ApiSettings(
                rows,
                Optional.of(authenticator),
                type -> false,
                BODY_BYTES_MAX,
                Optional.empty(),
                FEED_CLIENTS,
                true,
                Optional.empty(),
                BridgeNodes.PREFIX);
    }

    public ApiSettings withRows(Subspace newRows) {
        return new ApiSettings(
                newRows, authenticator, hidden, bodyBytesMax, rate, feedClients, isAudited, backups, bridgePrefix);
    }

    public ApiSettings withAuthenticator(Optional<Authenticator> newAuthenticator) {
        return new ApiSettings(
                rows, newAuthenticator, hidden, bodyBytesMax, rate, feedClients, isAudited, backups, bridgePrefix);
    }

    public ApiSettings withHidden(Predicate<String> newHidden) {
        return new ApiSettings(
                rows, authenticator, newHidden, bodyBytesMax, rate, feedClients, isAudited, backups, bridgePrefix);
    }

    public ApiSettings withBodyBytesMax(int newMax) {
        return new ApiSettings(
                rows, authenticator, hidden, newMax, rate, feedClients, isAudited, backups, bridgePrefix);
    }

    public ApiSettings withRate(CallRate newRate) {
        return new ApiSettings(
                rows,
                authenticator,
                hidden,
                bodyBytesMax,
                Optional.of(newRate),
                feedClients,
                isAudited,
                backups,
                bridgePrefix);
    }

    public ApiSettings withFeedClients(int newMax) {
        return new ApiSettings(
                rows, authenticator, hidden, bodyBytesMax, rate, newMax, isAudited, backups, bridgePrefix);
    }

    public ApiSettings withAudit(boolean newAudit) {
        return new ApiSettings(
                rows, authenticator, hidden, bodyBytesMax, rate, feedClients, newAudit, backups, bridgePrefix);
    }

    public ApiSettings withBackups(Path newBackups) {
        return new ApiSettings(
                rows,
                authenticator,
                hidden,
                bodyBytesMax,
                rate,
                feedClients,
                isAudited,
                Optional.of(newBackups),
                bridgePrefix);
    }

    public ApiSettings withBridgePrefix(String newPrefix) {
        return new ApiSettings(
                rows, authenticator, hidden, bodyBytesMax, rate, feedClients, isAudited, backups, newPrefix);
    }
}
