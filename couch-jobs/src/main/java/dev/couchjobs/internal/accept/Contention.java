package dev.couchjobs.internal.accept;

/** Over what two claims conflict, other than a job that both claim. */
enum Contention {
    /** Both start jobs of turn keys, and move the turns. */
    TURNS,
    /** Both put jobs back, or admit jobs. */
    MOVES,
    /** Both start jobs of limit keys with rates. */
    TOKENS,
    /** The limit or rate of the type lets claims commit one after the other. */
    LIMIT
}
