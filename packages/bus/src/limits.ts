/** Every limit of the bus, with its unit and its reason. */

/** ms a request between our own processes may take: they answer in single milliseconds, or something is down. */
export const REQUEST_MS = 5_000;
/** ms between pings of a connection, and how many may go unanswered: a dead link is found within 6 s. */
export const PING_INTERVAL_MS = 2_000;
export const PINGS_OUT_MAX = 2;
/** ms between attempts to reconnect. There is no last attempt: a service without its bus has nothing better to do. */
export const RECONNECT_WAIT_MS = 250;
/** ms to wait for the first connection. */
export const CONNECT_MS = 10_000;
/** Bytes of one message. The server's own limit; what is larger goes to the object store. */
export const PAYLOAD_BYTES_MAX = 1_048_576;
/** Bytes of a request that a caller may send: what fits a message with room for the envelope. */
export const REQUEST_BYTES_MAX = 786_432;
/** Messages queued for one project. The state keeps an entry for each, so this also bounds the state's size. */
export const QUEUE_LENGTH_MAX = 1_000;
/** ms until an unacknowledged mutation is handed out again: three missed signs of life. */
export const ACK_WAIT_MS = 15_000;
/** ms between the signs of life of a mutation under way. */
export const WORKING_EVERY_MS = 5_000;
/** ms a lease lasts without being renewed; the server removes it. */
export const LEASE_TTL_MS = 10_000;
/** ms an operation's outcome is kept: a day, longer than any client retries. */
export const LEDGER_TTL_MS = 86_400_000;
/** ms a fact is kept, and how many for one project. */
export const FACT_TTL_MS = 86_400_000;
export const FACTS_PER_PROJECT_MAX = 10_000;
/** ms an artifact (a screenshot) is kept, and the bytes of all of them together. */
export const ARTIFACT_TTL_MS = 86_400_000;
export const ARTIFACT_BYTES_MAX = 2_147_483_648;
/** ms a queued message id is remembered: only a first filter, the ledger is the authority. */
export const DUPLICATE_WINDOW_MS = 300_000;
/** ms the record of what was done is kept, and operations of one project: a week of busy days, and what is read at once. */
export const HISTORY_TTL_MS = 604_800_000;
export const HISTORY_PER_PROJECT_MAX = 2_000;
/** ms a record gets to be read to its end: it is small, so a longer wait means that the server is not well. */
export const FIRST_READ_MS = 5_000;
/** ms until a watch is opened anew in any case: the client's may stall without a word. */
export const WATCH_AGAIN_MS = 120_000;
/** ms until a watch, or a queue, that could not be opened is tried again. */
export const WATCH_RETRY_MS = 1_000;
export const QUEUE_RETRY_MS = 250;
/** ms a call waits for the bus, or for somebody who serves it, to come back: a restart takes less, an outage more. */
export const BUS_PATIENCE_MS = 3_000;
export const ASK_RETRY_MS = 250;
/** ms until a change that is not answered yet is asked about again, and the longest such pause: each costs a read or two. */
export const ASK_AGAIN_MS = 5_000;
/** The same of a stop: it is answered within a fraction of this, or whoever was asked does not answer at all. */
export const ASK_HURRIED_MS = 1_500;
/** The same after the link was lost: the answer went nowhere, and is known to the next who asks. */
export const ASK_SOON_MS = 500;
export const ASK_AGAIN_MAX_MS = 30_000;
/** Mutations that a worker asks for at a time; they are still handed out one by one. */
export const PULL_AHEAD = 16;
/** Times, and ms between them, that a stream is tried to be created while another replica creates the same: it takes some ms. */
export const CREATE_TRIES_MAX = 20;
export const CREATE_RETRY_MS = 100;
