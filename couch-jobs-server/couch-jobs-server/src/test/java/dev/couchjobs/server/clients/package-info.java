/** The clients in other languages, as their users see them. */
package dev.couchjobs.server.clients;
