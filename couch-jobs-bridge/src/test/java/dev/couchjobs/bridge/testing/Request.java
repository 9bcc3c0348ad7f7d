package dev.couchjobs.bridge.testing;

/** A request to a database. */
interface Request<T> {

    /** {@return the answer, after the request was executed} */
    T doneBy(ModelCouchDatabase database);

    /** Executes a part of the request, as a server does that stops meanwhile. */
    void partlyDoneBy(ModelCouchDatabase database);
}
