/* Validates XML documents against a RELAX NG schema, with libxml2, for the tests.
 *
 * The header names no type of libxml2, for the reason that CXMLReader.h gives. */

#ifndef CRELAXNG_H
#define CRELAXNG_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__clang__)
#define CRELAXNG_NULLABLE _Nullable
#define CRELAXNG_NONNULL _Nonnull
#else
#define CRELAXNG_NULLABLE
#define CRELAXNG_NONNULL
#endif

/* The size of a message, with its end. */
#define CRELAXNG_MESSAGE_SIZE 2000

/* A schema; it may be used by one thread at a time. */
typedef struct CRelaxNGSchema CRelaxNGSchema;

/* Reads a schema in the XML syntax. Returns NULL when it is none, and writes why to the message. */
CRelaxNGSchema *CRELAXNG_NULLABLE
CRelaxNGSchemaCreate(const void *CRELAXNG_NONNULL bytes, size_t length, char *CRELAXNG_NONNULL message);
/* Frees a schema. */
void CRelaxNGSchemaDestroy(CRelaxNGSchema *CRELAXNG_NULLABLE schema);
/* Whether a document is as the schema says; when it is not, the message tells the lines and why. */
bool CRelaxNGSchemaAccepts(
    CRelaxNGSchema *CRELAXNG_NONNULL schema, const void *CRELAXNG_NONNULL bytes, size_t length,
    char *CRELAXNG_NONNULL message);

#endif
