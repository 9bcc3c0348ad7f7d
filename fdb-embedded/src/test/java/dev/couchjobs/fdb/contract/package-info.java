/**
 * What FoundationDB promises: a test class per topic, which runs on every engine that
 * {@link dev.couchjobs.fdb.testing.TestEngine} selects. The topics assert nothing that a real cluster does not promise,
 * keep to keys under a random prefix, and clear it afterwards.
 *
 * <p>The map from promise to proof follows. Names are of methods, in the class before them; {@code *} is the whole
 * class. Random programs ({@code property}) and concurrent histories ({@code history}) try the same promises in
 * combination.
 *
 * <h2>Limits</h2>
 * <ul>
 *   <li>keys up to 10,000 bytes, 2102: {@code LimitsContract} aKeyOfTenThousandBytesFits,
 *   aLongerKeyPoisonsTheTransaction, aLongerKeyIsSimplyNotThere, aLongerKeyCannotBeWatched,
 *   theOffsetOfAVersionstampCountsTowardsTheLimit
 *   <li>values up to 100,000 bytes, 2103: {@code LimitsContract} aValueOfAHundredThousandBytesFits,
 *       aLongerValuePoisonsTheTransaction
 *   <li>transactions up to 10,000,000 bytes with their conflict ranges, 2101: {@code SizesContract}
 *   tenMegabytesFitToTheByte, aSetCountsItsKeyItsValueAndItsConflictRange, aClearCountsItsRangeTwice,
 *   conflictRangesCountOnceEach, aReadCountsItsConflictRange
 *   <li>a call that breaks a limit returns, and what follows fails: {@code LimitsContract}
 *   aLongerKeyPoisonsTheTransaction, aPoisonedTransactionIsWholeAgainAfterOnError
 *   <li>system keys need an option, 2004: {@code LimitsContract} systemKeysCannotBeWritten, systemKeysCannotBeRead,
 *       systemKeysCanBeReadByOption, theEndOfTheKeysIsALegalBound
 *   <li>inverted ranges, 2005: {@code LimitsContract} anInvertedClearPoisonsTheTransaction,
 *       anInvertedConflictRangeIsRefusedAtOnce, anInvertedRangeHasNoSizeAndNoSplits; but {@code RangesContract}
 *       anEmptyOrInvertedRangeHasNoRows
 *   <li>five seconds, 1007: {@code LifecycleContract} anOldReadVersionIsRefused,
 *   aCommitThatReadAtAnOldVersionIsRefused; to the version: {@code VersionWindowTest}
 *   aVersionOlderThanFiveSecondsIsGone
 *   <li>a read version in the future, 1009: {@code LifecycleContract} aFutureReadVersionIsRefused
 *   <li>10,000 watches or as many as the option says, 1032: {@code WatchesContract}
 *       tenThousandWatchesMayWaitUnlessTheOptionSaysOtherwise, noMoreWatchesWaitThanTheOptionAllows
 *   <li>the timeout option, 1031, from the first attempt on: {@code OptionsContract} aTimeoutEndsTheTransaction,
 *       aTimeoutGoesOnThroughResets; {@code EngineTest} aTimeoutCountsFromTheFirstTry
 *   <li>cancelled transactions and futures, 1025 and 1101: {@code LifecycleContract}
 *   aCancelledTransactionFailsFromThenOn, aCancelledTransactionCannotBeRetried; {@code WatchesContract}
 *   aWatchCanBeCancelled
 *   <li>use during or after the commit, 2017: {@code LifecycleContract} aCommittedTransactionIsUsedUp,
 *       aTransactionCommittedWithoutWritesIsUsedUp, aTransactionThatFailedToCommitIsUsedUp
 * </ul>
 *
 * <h2>Retries</h2>
 * <ul>
 *   <li>which errors are retryable, and which may have been committed: {@code FdbErrorTest}
 *   theRetryClassIsThatOfTheCode, everyRetryableCodeIsKnown; {@code RetryLoopsContract}
 *   anErrorSaysWhetherARetryMakesSense
 *   <li>{@code onError} takes these and gives back all others: {@code RetryLoopsContract}
 *   onErrorAcceptsWhatIsRetryable, onErrorFailsWithWhatIsNot,
 *   onErrorReturnsAForeignExceptionAndLeavesTheTransactionUsable
 *   <li>it backs off, or waits a short time: {@code TransactionBackoffTest} delaysDoubleUpToTheLimit,
 *       jitterShortensADelayButNotTheNextOne, anOldReadVersionWaitsAShortFixedTime; {@code RetryLoopsContract}
 *       aCappedDelayLetsManyRetriesPassInAShortTime
 *   <li>the retry limit keeps counting: {@code RetryLoopsContract} theRetryLimitIsKeptThroughResets,
 *   aRetryLimitCountsRetries, aRetryLimitOfZeroAllowsOneAttempt
 *   <li>afterwards nothing of the last attempt is left: {@code RetryLoopsContract} onErrorAcceptsWhatIsRetryable,
 *   afterOnErrorTheTransactionReadsAtANewVersion, afterOnErrorEarlierReadsAreForgotten,
 *   afterOnErrorEarlierWriteConflictsAreForgotten; {@code WatchesContract} aResetEndsTheWatchesThatWereNotCommitted;
 *   {@code OptionsContract} aResetForgetsEveryOptionButTimeoutRetryLimitAndDelay
 *   <li>the object that was asked is invalid: {@code RetryLoopsContract} onErrorInvalidatesTheTransactionItWasCalledOn,
 *       onErrorFailsWithWhatIsNot
 *   <li>the loops of a database: {@code RetryLoopsContract} runRetriesAConflictAndReturnsTheLastResult,
 *       runAsyncRetriesAConflictAndReturnsTheLastResult, readLoopsRetryToo, anErrorThatIsNotRetryableEndsTheLoop,
 *       theUsersExceptionEndsTheLoop, theLoopClosesItsTransaction
 * </ul>
 *
 * <h2>Isolation</h2>
 * <ul>
 *   <li>strict serializability: {@code ConcurrentHistoriesContract} *; {@code CommittedHistoriesContract} *;
 *       {@code ReadsContract} aTransactionSeesEveryCommitAcknowledgedBeforeItsReadVersion, readVersionsNeverGoBack
 *   <li>what was read and then written by another fails the commit, 1020: {@code ConflictsContract} *; to the key:
 *       {@code ExactConflictsContract} *
 *   <li>a transaction without writes commits at version -1: {@code ConflictsContract}
 *   aTransactionWithoutWritesNeverConflicts; {@code LifecycleContract} aCommitWithoutWritesHasNoVersion; one that only
 *   writes never conflicts: {@code ConflictsContract} blindWritesNeverConflict
 *   <li>how far selectors conflict: {@code SelectorConflictsContract} aForwardOffsetConflictsWithEveryRowItSteppedOver,
 *       aBackwardOffsetConflictsWithEveryRowItSteppedOver, aSelectorThatRunsOffTheRowsConflictsWithRowsThatAppearThere
 *   <li>a limit shortens what a range conflicts with: {@code ConflictsContract}
 *   aLimitShortensWhatARangeReadConflictsWith, aLimitShortensAReverseRangeFromTheOtherSide;
 *   {@code SelectorConflictsContract} aLimitCountsOwnRowsBeforeItCutsTheConflict,
 *   aLimitedRangeOverAnOwnClearConflictsOnlyWhereItIsNotCleared
 *   <li>snapshot reads do not conflict: {@code SnapshotContract} aSnapshotReadDoesNotConflict
 *   <li>nor does what own writes determine: {@code ConflictsContract} whatOwnWritesDetermineDoesNotConflict,
 *       anAtomicOperationOnAnOwnSetIsDetermined; {@code SelectorConflictsContract}
 *       aSelectorThatFindsAnOwnRowConflictsOnlyBeforeIt, aSelectorThatSkipsAnOwnClearConflictsOnlyAroundIt
 *   <li>declared conflicts, and writes without: {@code DeclaredConflictsContract} *
 *   <li>reads see own writes: {@code MergedReadsContract} *; {@code ReadYourWritesContract} *;
 *   {@code SelectorsContract} aKeyThatCompareAndClearRemovesIsCountedUntilTheCommit,
 *   aKeyThatIsNotThereIsCountedOnceItHasBeenComparedToBeCleared; snapshot reads too, unless told otherwise:
 *   {@code SnapshotContract} snapshotReadsSeeOwnWrites, snapshotReadsMissOwnWritesWhenToldTo
 *   <li>or do not, if told so before anything else: {@code OptionsContract}
 *   withoutReadYourWritesATransactionReadsItsSnapshot, readYourWritesCannotBeDisabledAfterAnOperation
 *   <li>an atomic operation is no read until it is read: {@code ConflictsContract}
 *       anAtomicOperationDoesNotConflictUntilItIsRead; {@code AtomicMutationsContract} foldsIntoReadsOfItsTransaction
 * </ul>
 *
 * <h2>Versions and stamps</h2>
 * <ul>
 *   <li>read versions can be asked for and set: {@code ReadsContract} aReadVersionCanBeSetToThatOfAnotherTransaction,
 *       aCommittedVersionIsTheFirstThatShowsItsWrites; {@code LifecycleContract} aReadVersionCannotBeSetTwice
 *   <li>about a million a second: {@code VersionWindowTest} readVersionsFollowTheClockWhenNobodyCommits
 *   <li>a stamp is the commit version and the order in it: {@code VersionstampContract}
 *   aStampStartsWithTheCommittedVersion, concurrentCommitsHaveDistinctStampsInCommitOrder,
 *   laterCommitsHaveGreaterStamps
 *   <li>a read-only transaction has none, 2021: {@code VersionstampContract} aReadOnlyTransactionHasNoStamp
 *   <li>the offset at the end of an operand: {@code VersionstampContract} aStampedValueHoldsTheStampAtItsOffset,
 *       aStampedKeyHoldsTheStampAtItsOffset, anOffsetOutsideTheOperandIsAnError
 *   <li>nothing of it can be read before, 1036: {@code VersionstampContract} aStampedValueCannotBeReadBeforeCommit,
 *       whereAStampedKeyMayLandCannotBeReadBeforeCommit, noSelectorStepsOverWhatIsUnreadable,
 *       aLimitedRangeIsReadWhoseOtherEndLiesBehindWhatIsUnreadable,
 *       readingWhatIsUnreadableFailsTheCommitToo
 *   <li>tuples of 12 bytes: {@code VersionstampContract} aStampedKeyReadsAsATupleVersionstamp,
 *       userVersionsOrderTheStampsOfOneTransaction
 * </ul>
 *
 * <h2>Watches</h2>
 * <ul>
 *   <li>a watch reads the key, own writes included: {@code WatchesContract} aWatchIsARead,
 *       aWatchIsComparedWithTheTransactionsOwnWrite
 *   <li>it is armed by the commit, also of a transaction that only reads: {@code WatchesContract}
 *   aWatchFiresWhenTheValueIsSet, aChangeBetweenTheReadAndTheCommitFires, aWatchOfATransactionThatAlsoWritesFires
 *   <li>it fires when the value is another one: {@code WatchesContract} aWatchFiresWhenTheKeyIsCleared,
 *       aWatchFiresForAnAtomicOperation, aChangeThatIsTakenBackMayBeMissedButTheNextIsNot; {@code EngineTest}
 *       aWatchFiresOnlyForAnotherValue
 *   <li>it outlives its transaction: {@code WatchesContract} aWatchOutlivesItsTransaction,
 *   aWatchSurvivesTheTransactionsNextAttempt
 *   <li>but not a cancel or reset before the commit: {@code WatchesContract} aCancelledTransactionEndsItsWatches,
 *       aResetEndsTheWatchesThatWereNotCommitted, aTransactionClosedWithoutCommitEndsItsWatches; nor, in process, the
 *       database: {@code EngineTest} closingEndsEverythingThatWaits; {@code ReopeningTest}
 *       watchesAndTransactionsEndWithTheDatabaseTheyBelongTo
 * </ul>
 *
 * <h2>The rest of the interfaces</h2>
 * <ul>
 *   <li>every atomic operation, on keys that are missing, with operands that are shorter, longer and empty:
 *       {@code AtomicMutationsContract} *
 *   <li>streaming modes: {@code RangesContract} everyStreamingModeGivesTheSameRows,
 *       everyStreamingModeHonoursTheLimitBackwards, exactModeNeedsALimit
 *   <li>sizes and split points: {@code SizesContract} theApproximateSizeAddsUpWhatTheCallsCount,
 *   theSizeOfARangeIsNotNegative, splitPointsRunFromTheBeginToTheEndOfTheRange, aChunkLargerThanTheRangeSplitsNothing
 *   <li>options of a database are the defaults of its transactions: {@code OptionsContract}
 *       aDatabaseGivesItsDefaultsToEveryTransaction, aTransactionOverridesTheDefaultOfItsDatabase,
 *       theDefaultsOfADatabaseSurviveAReset, snapshotsMissOwnWritesByDefaultOfTheDatabase,
 *       aTransactionTimesOutByDefaultOfTheDatabase, unreadableKeysCanBeReadByDefaultOfTheDatabase,
 *       retryDelaysAreCappedByDefaultOfTheDatabase, aDefaultIsForTransactionsThatBeginLater
 *   <li>tuples, subspaces and directories, which run without the native client: {@code TuplesAndDirectoriesContract} *
 *   <li>what needs a cluster is refused with what to use instead: {@code RefusalsTest} *
 *   <li>and on disk, all of this holds over closing and opening: {@code ReopeningTest} *
 * </ul>
 */
@NullMarked
package dev.couchjobs.fdb.contract;

import org.jspecify.annotations.NullMarked;
