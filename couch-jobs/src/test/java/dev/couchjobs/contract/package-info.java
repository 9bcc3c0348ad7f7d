/**
 * What couch-jobs promises: a test class per topic, which runs on every engine that
 * {@link dev.couchjobs.fdb.testing.TestEngine} selects. Two lists follow.
 *
 * <p>The first goes by the behaviours that the tests of the Erlang original, {@code couch_jobs_tests.erl}, pin down, in
 * their order. The topics' names are short of "Contract".
 * <pre>
 *  1 add_remove_pending                  Creation.anAddedJobIsPendingAndHasItsData, .aRemovedJobIsGone,
 *                                        Transactions.aJobIsAddedTogetherWithWhatItIsAbout
 *  2 add_remove_errors                   Creation.removingAJobThatIsNotThereSaysSo,
 *                                        .aJobIsNotAddedToATypeWithoutTimeout, .addingAJobTwiceAddsItOnce,
 *                                        Payloads.dataThatCannotBeWrittenIsRefusedByEveryVerbInEveryState
 *  3 add_with_the_same_scheduled_time    Creation.addingAPendingJobAsItIsLeavesTheTransactionReadOnly
 *  4 get_job_data_and_state              Creation.aJobThatIsNotThereHasNoStateAndNoData
 *  5 resubmit_as_job_creator             Creation.aCreatorMayAddAgainInEveryState
 *  6 type_timeouts_and_server            TypeTimeouts.anotherInstanceSeesTypesComeAndGo,
 *                                        .theTypesAreThoseThatHaveATimeout
 *  7 dead_notifier_restarts_server       Survival.aNotifierSurvivesFailuresAndMissesNothing
 *  8 bad_cast, 9 bad_call, 10 bad_info   Survival.anAcceptorSurvivesFailures,
 *    to the server                       .aCallersContinuationThatThrowsDisturbsNobody,
 *                                        Processing.aJobThatCouchJobsDidNotHandOutIsRefused
 * 11 bad_cast, 12 bad_call, 13 bad_info  Survival.aNotifierSurvivesFailuresAndMissesNothing,
 *    to a notifier                       .aSubscriptionThatCouchJobsDidNotMakeIsRefusedAndTheOthersGoOn,
 *                                        .aSubscriberOfAnUnknownTypeDisturbsNobody
 * 14 bad_cast, 15 bad_call, 16 bad_info  Survival.anActivityMonitorSurvivesFailures
 *    to an activity monitor
 * 17 basic_accept_and_finish             Accept.anAcceptedJobRunsAndCanBeFinished,
 *                                        Payloads.dataThatCannotBeWrittenIsRefusedByEveryVerbInEveryState
 * 18 accept_blocking                     Accept.thoseWhoWaitAreWokenOneByOneAsJobsCome
 * 19 job_processor_update                Processing.anUpdateWithDataReplacesIt, .anUpdateWithoutDataKeepsIt,
 *                                        .updatesInTransactionsOfTheCallersWorkAsWell,
 *                                        .theJobThatAcceptReturnedServesUntilTheEnd
 * 20 resubmit_enqueues_job               Resubmit.aResubmittedJobIsPendingAgainWhenItIsFinished
 * 21 resubmit_finished_updates_job_data  Resubmit.aFinishedJobTakesTheDataWhenItIsResubmitted
 * 22 resubmit_running_does_not_update_job_data  Resubmit.aRunningJobKeepsItsDataWhenItIsResubmitted
 * 23 resubmit_custom_schedtime           Resubmit.aResubmittedJobTakesTheNewTime
 * 24 add_pending_updates_job_data        Creation.addingAPendingJobAtAnotherTimeTakesTheTimeAndTheData
 * 25 add_finished_updates_job_data       Creation.addingAFinishedJobTakesTheTimeAndTheData
 * 26 add_running_does_not_update_job_data  Creation.addingARunningJobKeepsItsDataAndRunsItOnceMore
 * 27 accept_max_schedtime                Schedule.maxSchedTimeTakesWhatIsScheduledUpToThen
 * 28 accept_no_schedule                  Schedule.maxSchedTimeAndNoScheduleExcludeEachOther,
 *                                        Accept.noScheduleTakesEveryJobOnce
 * 29 subscribe                           Subscriptions.aSubscriberIsToldOfEveryChangeUntilTheJobIsFinished,
 *                                        .subscribingAgainReportsTheSame,
 *                                        .aJobThatIsNotThereIsReportedAsSuchAndThatIsAll,
 *                                        .aFinishedJobIsReportedAsSuchAndThatIsAll
 * 30 remove_when_subscribed_and_pending  Subscriptions.theRemovalOfAPendingJobIsItsLastEvent
 * 31 remove_when_subscribed_and_running  Subscriptions.theRemovalOfARunningJobIsItsLastEvent
 * 32 subscribe_wait_multiple             Wait.aWaitOnSeveralSubscriptionsIsToldOfWhicheverChanges
 * 33 enqueue_inactive                    ActivityMonitor.aJobWhoseProcessorWentSilentIsPendingAgain
 * 34 remove_running_job                  Processing.theProcessorOfARemovedJobIsHalted
 * 35 check_get_jobs                      Listing.eachTypeHasAListingOfItsOwn
 * 36 use_fabric_transaction_object       Transactions.aProcessorWritesItsResultAndFinishesInOneTransaction
 * 37 metadata_version_bump               TypeTimeouts.nothingIsCachedBetweenCalls
 * </pre>
 *
 * <p>The second goes by the defects of the original, and shows that couch-jobs has none of them.
 * <pre>
 * add drops new data at the same time        Creation.addingAPendingJobAtItsOldTimeTakesTheNewData
 * add and others raise, return, or overlook  Payloads.dataThatCannotBeWrittenIsRefusedByEveryVerbInEveryState
 *   data that cannot be written
 * re-adding writes and so conflicts          Creation.manyWhoAddTheSamePendingJobDoNotConflict,
 *                                            Payloads.addingALargePendingJobAsItIsWritesNothing
 * scheduled times may be negative            Creation.aScheduledTimeBefore1970IsRefused
 * accept ignores the scheduled time          Schedule.aJobDatedInTheFutureIsNotHandedOutByDefault
 * ids that sort last are left out            Schedule.maxSchedTimeTakesIdsThatSortLastAtExactlyThatTime
 * neither first in nor earliest first        Schedule.dueJobsAreHandedOutEarliestFirst
 * only the first 1,024 are candidates        Accept.jobsBeyondTheFirstThousandAreTakenToo
 * no_schedule comes back too early           Accept.noScheduleWaitsForAJobToCome
 * a timeout of accept starts over            Accept.aDeadlineIsNotPutOffByWakeUps
 * accept fails on conflicts                  Concurrency.ofManyAcceptorsOneGetsTheJob, .ofManyWhoWaitOneGetsEachJob
 * resubmit does not look at the lock         Resubmit.anOldHolderCannotResubmitWhatAnotherRuns,
 *                                            .anOldHolderCannotResubmitWhatAnotherFinished,
 *                                            ActivityMonitor.anEarlierHolderHasNoSayAfterALaterOneWasLost
 * resubmit without data fails unless running Resubmit.aFinishedJobCanBeResubmittedWithoutDataAndWithoutTime,
 *                                            .aPendingJobCanBeMovedByTheClaimThatFinishedIt
 * resubmit without time schedules for 4147   Resubmit.withoutATimeTheScheduledTimeStays
 * resubmit returns raw JSON now and then     Resubmit.isResubmittedTellsWhetherSomebodyAskedForAnotherRun
 * wait on a list puts events back reversed   Wait.waitingForSomeLeavesTheEventsOfOthersInOrder
 * wait on a list forgets the state           Wait.aWaitOnSeveralForOneStateNeverReturnsAnotherState
 * a timeout of wait starts over              Wait.aDeadlineIsNotPutOffByOtherStates
 * a change between state and registration    Subscriptions.nothingIsLostBetweenTheReportedStateAndTheFirstEvent,
 *   is lost                                  .aSecondSubscriberFromAnEarlierPlaceDisturbsNobody,
 *                                            Survival.aSubscriberWhoComesWhileTheFeedIsBeingReadMissesNothing
 * pending between two runs is missed         Subscriptions.aShortStateBetweenTwoOthersIsNotMissed
 * finished before the notifier began         Subscriptions.aJobThatIsFinishedBeforeAnybodyWaitsWakesTheSubscriber
 * remove does not wake subscribers           Subscriptions.theRemovalOfAPendingJobIsItsLastEvent
 * remove leaves the activity row             DataModel.aRemovedJobLeavesNothingWhateverItsState
 * a dead notifier leaves waits hanging       Survival.aNotifierSurvivesFailuresAndMissesNothing
 * two jobs updated in one transaction share  DataModel.jobsChangedInOneTransactionHaveSequencesThatDiffer...,
 *   an activity row                          ActivityMonitor.twoJobsUpdatedInOneTransactionAreBothWatchedOver
 * update, then update, finish, resubmit or   Transactions.aJobIsUpdatedTwiceReadAndFinishedInOneTransaction,
 *   a read in one transaction fails          .aJobIsUpdatedResubmittedAndFinishedInOneTransaction,
 *                                            Listing.aListingInATransactionSeesWhatThatTransactionDid
 * a transaction with a stamp of its own      Transactions.theCallersOwnVersionstampsDoNotGetInTheWay
 *   cannot add
 * a stale activity row enqueues any job      ActivityMonitor.aStaleActivityRowPutsNothingBackAndIsClearedAway
 * monitors of several nodes fail together    ActivityMonitor.severalMonitorsPutAJobBackOnceWith...
 * too many lost jobs for one transaction     ActivityMonitor.manyLostJobsAllComeBack
 * background work dies of an error           Survival.anAcceptorSurvivesFailures, .anActivityMonitorSurvivesFailures
 * data over 100 kB, written by heartbeats    Payloads.aLargePayloadComesBackAsItWas,
 *                                            .aHeartbeatDoesNotWriteALargePayloadAgain
 * a listing folds over all jobs at once      Listing.aListingGoesOnAfterAnyId
 * </pre>
 *
 * <p>Results of commits that are unknown, failing watches and back-off are the matter of {@code dev.couchjobs.faults}
 * and {@code dev.couchjobs.simulation}, which can bring them about. What the original's tests leave open besides is in
 * {@link dev.couchjobs.contract.ConcurrencyContract} (many acceptors, a stolen lock, a node that dies),
 * {@link dev.couchjobs.contract.WaitContract} (interleaved waits), {@link dev.couchjobs.contract.FencingContract}
 * (conflicts), {@link dev.couchjobs.contract.TransactionsContract} (several jobs in one transaction),
 * {@link dev.couchjobs.contract.ScheduleContract}, {@link dev.couchjobs.contract.PayloadsContract} and
 * {@link dev.couchjobs.contract.ListingContract}, which also answers which jobs are pending or running.
 */
@NullMarked
package dev.couchjobs.contract;

import org.jspecify.annotations.NullMarked;
