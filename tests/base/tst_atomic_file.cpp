// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/atomic_file.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace stagecraft;
namespace fs = std::filesystem;

class TstAtomicFile : public QObject {
    Q_OBJECT
private slots:
    void roundTrip()
    {
        const QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "a.json";
        QVERIFY(writeFileAtomically(file, "first").hasValue());
        QVERIFY(writeFileAtomically(file, "second").hasValue());
        QCOMPARE(readFile(file).value(), std::string("second"));
        QCOMPARE(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator{}), 1);
    }

    void keepsTheModeOfTheReplacedFile()
    {
        const QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "a.json";
        QVERIFY(writeFileAtomically(file, "x").hasValue());
        QCOMPARE(::chmod(file.c_str(), 0640), 0);
        QVERIFY(writeFileAtomically(file, "y").hasValue());
        struct stat info {};
        QCOMPARE(::stat(file.c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777, mode_t{0640});
    }

    /// Nobody writes into the pipe: whoever opened it for reading would wait for ever.
    void aPipeIsNotWaitedFor()
    {
        const QTemporaryDir folder;
        const fs::path root = folder.path().toStdString(), pipe = root / "pipe.json";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        fs::create_symlink("pipe.json", root / "link.json");
        for (const fs::path& path : {pipe, root / "link.json", fs::path("/dev/zero")}) {
            const auto read = readFile(path, 1000);
            QVERIFY(!read.hasValue());
            QCOMPARE(read.error().code, ErrorCode::InvalidInput);
            QVERIFY2(read.error().message.find("it is a pipe or a device, not a file") != std::string::npos, read.error().message.c_str());
        }
        QCOMPARE(readFile(root).error().code, ErrorCode::Io);
        QCOMPARE(readFile(root / "none").error().code, ErrorCode::NotFound);
    }

    void aStreamIsReadToItsEnd()
    {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        QCOMPARE(::write(ends[1], "{}", 2), ssize_t{2});
        ::close(ends[1]);
        const fs::path path = "/dev/fd/" + std::to_string(ends[0]);
        QCOMPARE(readFile(path).error().code, ErrorCode::InvalidInput);
        QCOMPARE(readStream(path).value(), std::string("{}"));
        ::close(ends[0]);
    }

    void writesThroughLinks()
    {
        const QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        fs::create_directory(root / "real");
        QVERIFY(writeFileAtomically(root / "real/a.json", "x").hasValue());
        QCOMPARE(::chmod((root / "real/a.json").c_str(), 0640), 0);
        fs::create_symlink("real/a.json", root / "relative.json");
        fs::create_symlink(root / "relative.json", root / "real/absolute.json");
        int number = 0;
        for (const fs::path& link : {root / "relative.json", root / "real/absolute.json"}) {
            const std::string content = std::to_string(++number);
            QVERIFY(writeFileAtomically(link, content).hasValue());
            QVERIFY(fs::is_symlink(link));
            QCOMPARE(readFile(root / "real/a.json").value(), content);
        }
        struct stat info {};
        QCOMPARE(::stat((root / "real/a.json").c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777, mode_t{0640});
        // A link to nothing yet: what it names is made.
        fs::create_symlink("real/new.json", root / "new.json");
        QVERIFY(writeFileAtomically(root / "new.json", "new").hasValue());
        QVERIFY(fs::is_symlink(root / "new.json"));
        QCOMPARE(readFile(root / "real/new.json").value(), std::string("new"));
        fs::create_symlink("b", root / "a");
        fs::create_symlink("a", root / "b");
        const auto loop = writeFileAtomically(root / "a", "x");
        QVERIFY(!loop.hasValue());
        QVERIFY(loop.error().message.find((root / "a").string()) != std::string::npos);
    }

    void keepsTheOwnerOfTheReplacedFile()
    {
        if (::geteuid() != 0) QSKIP("only root may give a file away");
        const QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "a.json";
        QVERIFY(writeFileAtomically(file, "x").hasValue());
        QCOMPARE(::chown(file.c_str(), 12345, 54321), 0);
        QVERIFY(writeFileAtomically(file, "y").hasValue());
        struct stat info {};
        QCOMPARE(::stat(file.c_str(), &info), 0);
        QCOMPARE(info.st_uid, uid_t{12345});
        QCOMPARE(info.st_gid, gid_t{54321});
    }

    void aPipeIsWrittenInto()
    {
        const QTemporaryDir folder;
        const fs::path pipe = fs::path(folder.path().toStdString()) / "pipe";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
        QVERIFY(reader >= 0);
        QVERIFY(writeFileAtomically(pipe, "text").hasValue());
        char got[8] = {};
        QCOMPARE(::read(reader, got, sizeof got), ssize_t{4});
        ::close(reader);
        QVERIFY(fs::is_fifo(pipe));
    }

    void saysWhatIsMissing()
    {
        const auto missing = readFile("/no/such/file.json");
        QVERIFY(!missing.hasValue());
        QCOMPARE(missing.error().code, ErrorCode::NotFound);
        QVERIFY(missing.error().message.find("/no/such/file.json") != std::string::npos);
        QVERIFY(!writeFileAtomically("/no/such/file.json", "x").hasValue());
    }

    void refusesMoreThanAsked()
    {
        const QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "big";
        QVERIFY(writeFileAtomically(file, std::string(1000, 'x')).hasValue());
        QVERIFY(readFile(file, 1000).hasValue());
        QCOMPARE(readFile(file, 999).error().code, ErrorCode::InvalidInput);
    }
};

QTEST_APPLESS_MAIN(TstAtomicFile)
#include "tst_atomic_file.moc"
