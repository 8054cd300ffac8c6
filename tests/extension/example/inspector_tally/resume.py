"""`python -m inspector_tally.resume DATABASE JOB`: what Tally itself does to finish a held job."""

import sqlite3
import sys


def main() -> None:
    """Append the mark that finishes the job, in one transaction."""
    path, job = sys.argv[1:]
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            "INSERT INTO tally_marks SELECT job, max(seq) + 1, 'count again', 'ok', NULL, NULL"
            " FROM tally_marks WHERE job = ? GROUP BY job",
            (job,),
        )
        connection.execute("UPDATE tally_jobs SET word = 'ok' WHERE id = ?", (job,))
    connection.close()


if __name__ == "__main__":
    main()
