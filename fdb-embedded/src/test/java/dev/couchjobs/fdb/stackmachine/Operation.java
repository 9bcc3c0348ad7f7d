package dev.couchjobs.fdb.stackmachine;

/** What an instruction does; its name is the one in the specification. */
interface Operation {

    /** As in the specification, without a variant's ending. */
    String name();

    /** Does it. What it throws is pushed as an error. */
    void run(StackMachine machine, Variant variant);
}
