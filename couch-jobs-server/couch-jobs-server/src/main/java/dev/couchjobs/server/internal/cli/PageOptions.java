package dev.couchjobs.server.internal.cli;

import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** Which part of a listing is shown. */
final class PageOptions {
    @Option(names = "--limit", paramLabel = "N", description = "How many of them, from 1 to 1000. Default: 100")
    private @Nullable Integer limit;

    @Option(names = "--after", paramLabel = "PLACE", description = "Goes on where the page before has ended.")
    private @Nullable String after;

    @Option(names = "--all", description = "Shows all pages. With --json each is one line.")
    private boolean isAll;

    /** Prints one page, or all. */
    int print(Session session, Address listing, String... fields) {
        return print(session, listing, item -> {}, fields);
    }

    /** Prints one page, or all, and adds to the items what tables have beyond the JSON. */
    int print(Session session, Address listing, Consumer<ObjectNode> more, String... fields) {
        return pages(session, listing, (page, goesOn) -> {
            page.json().path("items").forEach(item -> more.accept((ObjectNode) item));
            if (!goesOn || session.output().isJson()) {
                ApiCommand.items(session, page, fields);
            } else {
                session.output().table(List.of(fields), page.json().path("items"));
            }
        });
    }

    /** Prints one page of names, or all. */
    int printNames(Session session, Address listing) {
        return pages(session, listing, (page, goesOn) -> {
            ApiCommand.names(session, page);
            if (!goesOn) {
                ApiCommand.noteMore(session, page);
            }
        });
    }

    /** Shows pages, each with whether another one follows. */
    private int pages(Session session, Address listing, BiConsumer<ApiReply, Boolean> show) {
        Optional<String> place = Optional.ofNullable(after);
        Address sized = listing.with("limit", Optional.ofNullable(limit));
        while (true) {
            ApiReply page = session.api().get(sized.with("after", place));
            place = Optional.ofNullable(page.json().get("next")).map(next -> next.asString());
            boolean goesOn = isAll && place.isPresent() && !session.stop().isRequested();
            show.accept(page, goesOn);
            if (!goesOn || session.output().isClosed()) {
                return ApiCommand.DONE;
            }
        }
    }
}
