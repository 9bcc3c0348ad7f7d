package dev.couchjobs.server.internal.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Lists types, or the jobs of a type. */
@Command(name = "list", description = "Lists the jobs of a type; without one, the types with their counts.")
final class ListCommand extends ApiCommand {
    private static final String[] TYPE_FIELDS = {
        "name",
        "counts.pending",
        "counts.blocked",
        "counts.running",
        "counts.succeeded",
        "counts.failed",
        "counts.cancelled",
        "counts.expired",
        "pause.reason"
    };

    @Parameters(index = "0", arity = "0..1", paramLabel = "TYPE", description = "The type.")
    private @Nullable String type;

    @Option(names = "--state", paramLabel = "STATE", description = "pending, running or finished.")
    private @Nullable String state;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            description =
                    "blocked, limited, retrying, scheduled, paused, waiting, running, succeeded, failed, cancelled or"
                            + " expired. Needs the status index: PUT /v1/types/{type}/status-index.")
    private @Nullable String status;

    @Option(names = "--tag", paramLabel = "TAG", description = "Jobs with this tag.")
    private @Nullable String tag;

    @Option(names = "--newest-first", description = "The newest first; needs --state or --status.")
    private boolean isNewestFirst;

    @Mixin
    private final PageOptions page = new PageOptions();

    @Override
    int run(Session session) {
        if (type == null) {
            if (state != null || status != null || tag != null) {
                throw new Failure(Failure.USAGE, "A filter needs a type.", "`couch-jobs list` shows the types.");
            }
            return types(session);
        }
        Address listing = Address.of("/v1/types/{}/jobs", type)
                .with("state", Optional.ofNullable(state))
                .with("status", Optional.ofNullable(status))
                .with("tag", Optional.ofNullable(tag))
                .with("newestFirst", isNewestFirst ? Optional.of(true) : Optional.empty());
        return page.print(
                session,
                listing,
                "id",
                "state",
                "status",
                "since",
                "scheduledTime",
                "priority",
                "claims",
                "failures",
                "holder",
                "limitKey",
                "tags",
                "error");
    }

    private static int types(Session session) {
        List<JsonNode> types = new ArrayList<>();
        for (String name : names(session)) {
            ApiReply reply = session.api().get(Address.of("/v1/types/{}", name));
            if (session.output().isJson()) {
                session.output().json(reply.text());
            }
            types.add(reply.json());
        }
        if (!session.output().isJson()) {
            session.output().table(List.of(TYPE_FIELDS), types);
        }
        return DONE;
    }

    /** {@return the types that the caller may read} */
    static List<String> names(Session session) {
        List<String> names = new ArrayList<>();
        for (JsonNode name : session.api().get(Address.of("/v1/types")).json().path("items")) {
            names.add(name.asString());
        }
        return names;
    }
}
