package dev.couchjobs.bridge.testing;

/** What somebody asks of a database. */
interface Request<T> {

    /** {@return the answer, once it has been done} */
    T doneBy(ModelCouchDatabase database);

    /** Does some of it, as a server does that goes down meanwhile. */
    void partlyDoneBy(ModelCouchDatabase database);
}
