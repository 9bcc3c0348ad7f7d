package dev.couchjobs.contract;

/** The data of most jobs in this suite. */
public record WorkData(int step) {}
